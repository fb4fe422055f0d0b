#include "source/postgres/address.hpp"

#include <libpq-fe.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdlib>
#include <fstream>
#include <memory>

namespace lockstep::postgres {
namespace {

struct FreeOptions {
  void operator()(PQconninfoOption* options) const { PQconninfoFree(options); }
};
using Options = std::unique_ptr<PQconninfoOption, FreeOptions>;

constexpr const char* form = "write postgresql://user@host:port/database, with special characters as %XX";

/// Parameters that we set ourselves, because values would change their form otherwise or the protocol needs them.
constexpr std::array ours{std::string_view{"replication"}, std::string_view{"client_encoding"},
                          std::string_view{"application_name"}, std::string_view{"fallback_application_name"}};

/// Parameters that hold secrets, apart from the password.
bool is_secret(std::string_view keyword) { return keyword == "sslpassword"; }

bool is_known(std::string_view keyword) {
  const Options all(PQconndefaults());
  for (const PQconninfoOption* option = all.get(); option != nullptr && option->keyword != nullptr; ++option) {
    if (keyword == option->keyword) return true;
  }
  return keyword == "ssl";  // libpq takes ssl=true for sslmode=require
}

/// The first parameter after '?' that libpq does not know; empty: there is none. libpq's own message is never shown,
/// because it quotes parts of the URL.
std::string unknown_parameter(std::string_view url) {
  const std::size_t question = url.find('?');
  if (question == std::string_view::npos) return {};
  std::string_view rest = url.substr(question + 1);
  while (!rest.empty()) {
    const std::size_t end = rest.find('&');
    const std::string_view entry = rest.substr(0, end);
    const std::string_view keyword = entry.substr(0, entry.find('='));
    if (!keyword.empty() && !is_known(keyword)) return std::string(keyword);
    rest = end == std::string_view::npos ? std::string_view{} : rest.substr(end + 1);
  }
  return {};
}

Error unreadable(std::string_view url) {
  const std::string unknown = unknown_parameter(url);
  const bool is_word =
      std::all_of(unknown.begin(), unknown.end(), [](unsigned char c) { return std::isalnum(c) != 0 || c == '_'; });
  if (!unknown.empty() && is_word) {
    return {ErrorKind::bad_input, "the source address has an unknown parameter '" + unknown + "'",
            "use libpq's connection parameters"};
  }
  return {ErrorKind::bad_input, "the source address cannot be read", form};
}

Result<Secret> password_of_variable(const std::string& name) {
  const char* value = std::getenv(name.c_str());
  if (value == nullptr || *value == '\0') {
    return Error{ErrorKind::bad_input, "the variable " + name + ", which is to hold the source's password, is not set",
                 "set it, or take env: out of the source address"};
  }
  return Secret(value);
}

Result<Secret> password_of_file(const std::string& path) {
  std::ifstream file(path);
  std::string line;
  if (!file || !std::getline(file, line)) {
    return Error{ErrorKind::refused, "the file " + path + ", which is to hold the source's password, cannot be read",
                 "correct the path after file:, or the file's rights"};
  }
  if (!line.empty() && line.back() == '\r') line.pop_back();
  return Secret(line);
}

Result<Secret> find_password(const std::string& given) {
  if (given.starts_with("env:")) return password_of_variable(given.substr(4));
  if (given.starts_with("file:")) return password_of_file(given.substr(5));
  return Secret(given);
}

std::string percent_encoded(std::string_view text) {
  constexpr std::string_view plain = "-._~";
  constexpr const char* digits = "0123456789ABCDEF";
  std::string out;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (std::isalnum(byte) != 0 || plain.find(c) != std::string_view::npos) {
      out += c;
    } else {
      out += '%';
      out += digits[byte >> 4];
      out += digits[byte & 15];
    }
  }
  return out;
}

std::string default_of(std::string_view keyword) {
  const Options all(PQconndefaults());
  for (const PQconninfoOption* option = all.get(); option != nullptr && option->keyword != nullptr; ++option) {
    if (keyword == option->keyword) return option->val == nullptr ? "" : option->val;
  }
  return {};
}

std::vector<std::string> split(const std::string& list) {
  std::vector<std::string> parts;
  std::size_t begin = 0;
  for (std::size_t comma = list.find(','); comma != std::string::npos; comma = list.find(',', begin)) {
    parts.push_back(list.substr(begin, comma - begin));
    begin = comma + 1;
  }
  parts.push_back(list.substr(begin));
  return parts;
}

/// "host:port,…" with brackets round IPv6 addresses and folders of sockets encoded.
std::string hosts_and_ports(const std::string& hosts, const std::string& ports) {
  const std::vector<std::string> host_list = split(hosts);
  const std::vector<std::string> port_list = split(ports);
  std::string out;
  for (std::size_t i = 0; i < host_list.size(); ++i) {
    const std::string& host = host_list[i];
    if (i > 0) out += ',';
    out += host.find(':') != std::string::npos ? "[" + host + "]" : percent_encoded(host);
    const std::string& port = port_list.size() == 1  ? port_list[0]
                              : i < port_list.size() ? port_list[i]
                                                     : std::string();
    if (!port.empty()) out += ":" + port;
  }
  return out;
}

/// The path in "user:file:/a/b@host" may stand there as it is; libpq would end the host at its first slash.
std::string with_path_encoded(const std::string& url) {
  const std::size_t colon = url.find(':', url.find("://") + 3);
  const std::size_t begin = colon + 1;
  if (colon == std::string::npos || url.compare(begin, 5, "file:") != 0) return url;
  const std::size_t end = url.find('@', begin);
  if (end == std::string::npos) return url;
  std::string out = url.substr(0, begin);
  for (const char c : url.substr(begin, end - begin)) out += c == '/' ? std::string("%2F") : std::string(1, c);
  return out + url.substr(end);
}

}  // namespace

Result<Address> Address::parse(const std::string& url) {
  if (!url.starts_with("postgresql://") && !url.starts_with("postgres://")) return unreadable("");
  const Options options(PQconninfoParse(with_path_encoded(url).c_str(), nullptr));
  if (options == nullptr) return unreadable(url);
  Address address;
  for (const PQconninfoOption* option = options.get(); option->keyword != nullptr; ++option) {
    if (option->val == nullptr) continue;
    const std::string keyword = option->keyword;
    if (keyword == "password") {
      TRY(password, find_password(option->val));
      address.password_ = std::move(password);
    } else if (std::find(ours.begin(), ours.end(), keyword) == ours.end()) {
      address.parameters_.emplace_back(keyword, option->val);
    }
  }
  return address;
}

std::string Address::parameter(std::string_view keyword) const {
  for (const auto& [key, value] : parameters_) {
    if (key == keyword) return value;
  }
  return {};
}

std::string Address::printable() const {
  std::string out = "postgresql://";
  if (const std::string user = parameter("user"); !user.empty()) out += percent_encoded(user) + "@";
  out += hosts_and_ports(parameter("host"), parameter("port"));
  if (const std::string name = parameter("dbname"); !name.empty()) out += "/" + percent_encoded(name);
  char separator = '?';
  for (const auto& [keyword, value] : parameters_) {
    if (keyword == "user" || keyword == "host" || keyword == "port" || keyword == "dbname") continue;
    out += separator + keyword + "=" + (is_secret(keyword) ? "***" : percent_encoded(value));
    separator = '&';
  }
  return out;
}

std::string Address::database() const {
  if (std::string name = parameter("dbname"); !name.empty()) return name;
  if (std::string name = default_of("dbname"); !name.empty()) return name;
  if (std::string user = parameter("user"); !user.empty()) return user;
  return default_of("user");
}

std::string Address::server() const {
  std::string host = parameter("host");
  if (host.empty()) host = parameter("hostaddr");
  if (host.empty()) host = default_of("host");
  if (host.empty()) host = "the local socket";
  std::string port = parameter("port");
  if (port.empty()) port = default_of("port");
  return hosts_and_ports(host, port);
}

}  // namespace lockstep::postgres
