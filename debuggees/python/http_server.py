"""Phenomenon: a threading HTTP server with clients in other threads.
Nondeterministic: ports, dates, the order of the answers."""
import http.client
import http.server
import threading


class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        body = f"{self.path} for port {self.client_address[1]}".encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_arguments):
        pass


server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
answers = []


def ask(number):
    connection = http.client.HTTPConnection(*server.server_address)
    for step in range(3):
        connection.request("GET", f"/{number}/{step}")
        answers.append(connection.getresponse().read().decode())
    connection.close()


clients = [threading.Thread(target=ask, args=(number,)) for number in range(4)]
for client in clients:
    client.start()
for client in clients:
    client.join()
server.shutdown()
print("\n".join(answers))
