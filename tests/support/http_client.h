// Asks servers of tests on this machine.
#pragma once

#include <string>

namespace convoy::test {

// A port that nothing listens on now.
int free_port();

// Sends the text to the port of the loopback address and returns all that comes back until the
// server closes; empty: nothing listens there.
std::string sent_to(int port, const std::string& text);

// The whole answer to GET `path`, with its head.
std::string fetched(int port, const std::string& path);

}  // namespace convoy::test
