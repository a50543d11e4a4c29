// ScriptedServer: a server on the loopback that does what a test tells it to, one thread to a connection.
#pragma once

#include <array>
#include <atomic>
#include <functional>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/check.h"
#include "base/mutex.h"

namespace gavel::app {

class ScriptedServer {
 public:
  // One connection. Reading and sending block; a test that ends makes both fail.
  class Session {
   public:
    Session(int socket, int number) : socket_(socket), number_(number) {}
    int number() const { return number_; }  // From 1, in the order of their coming.

    // A whole request; empty if the connection has ended.
    std::string read() {
      std::size_t head = 0;
      while ((head = received_.find("\r\n\r\n")) == std::string::npos) {
        if (!receive()) return "";
      }
      const std::size_t whole = head + 4 + length_in(received_.substr(0, head));
      while (received_.size() < whole) {
        if (!receive()) return "";
      }
      const std::string request = received_.substr(0, whole);
      received_.erase(0, whole);
      return request;
    }

    void send(std::string_view text) {
      while (!text.empty()) {
        const ssize_t sent = ::send(socket_, text.data(), text.size(), MSG_NOSIGNAL);
        if (sent <= 0) return;
        text.remove_prefix(static_cast<std::size_t>(sent));
      }
    }

   private:
    bool receive() {
      std::array<char, 64 * 1024> bytes{};
      const ssize_t got = ::recv(socket_, bytes.data(), bytes.size(), 0);
      if (got > 0) received_.append(bytes.data(), static_cast<std::size_t>(got));
      return got > 0;
    }

    static std::size_t length_in(const std::string& head) {
      constexpr std::string_view name = "Content-Length: ";
      const std::size_t at = head.find(name);
      return at == std::string::npos ? 0 : std::stoul(head.substr(at + name.size()));
    }

    int socket_;
    int number_;
    std::string received_;
  };

  // `serve` runs for each connection, which is closed when it returns.
  explicit ScriptedServer(std::function<void(Session&)> serve) : serve_(std::move(serve)) {
    listener_ = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    CHECK(::bind(listener_, reinterpret_cast<const sockaddr*>(&address), size) == 0);
    CHECK(::listen(listener_, 64) == 0);
    CHECK(::getsockname(listener_, reinterpret_cast<sockaddr*>(&address), &size) == 0);
    port_ = ntohs(address.sin_port);
    acceptor_ = std::thread([this] { accept(); });
  }

  ~ScriptedServer() {
    ended_ = true;
    ::shutdown(listener_, SHUT_RDWR);
    acceptor_.join();
    {
      const MutexLock lock(mutex_);
      for (const int socket : sockets_) ::shutdown(socket, SHUT_RDWR);
    }
    for (std::thread& thread : threads_) thread.join();
    for (const int socket : sockets_) ::close(socket);
    ::close(listener_);
  }
  ScriptedServer(const ScriptedServer&) = delete;
  ScriptedServer& operator=(const ScriptedServer&) = delete;

  std::string url(const std::string& host = "127.0.0.1") const {
    return "http://" + host + ":" + std::to_string(port_);
  }
  int connections() const { return connections_; }
  // Returns when that many connections were closed by the server.
  void wait_until_closed(int count) const {
    while (closed_ < count) std::this_thread::yield();
  }

 private:
  void accept() {
    for (;;) {
      const int socket = ::accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
      if (ended_ || socket < 0) return;
      const int number = ++connections_;
      const MutexLock lock(mutex_);
      sockets_.push_back(socket);
      threads_.emplace_back([this, socket, number] {
        Session session(socket, number);
        serve_(session);
        ::shutdown(socket, SHUT_RDWR);
        ++closed_;
      });
    }
  }

  const std::function<void(Session&)> serve_;
  int listener_ = -1;
  std::uint16_t port_ = 0;
  std::atomic<bool> ended_{false};
  std::atomic<int> connections_{0};
  std::atomic<int> closed_{0};
  Mutex mutex_;
  std::vector<int> sockets_;  // Closed at the end, so that no number is used twice.
  std::vector<std::thread> threads_;
  std::thread acceptor_;
};

inline std::string http_response(int status, std::string_view body, std::string_view headers = "") {
  return "HTTP/1.1 " + std::to_string(status) + " X\r\n" + std::string(headers) +
         "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n" + std::string(body);
}

}  // namespace gavel::app
