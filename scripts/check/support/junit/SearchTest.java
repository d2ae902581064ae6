// SPDX-License-Identifier: Apache-2.0

import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.net.httpserver.HttpServer;
import java.net.InetSocketAddress;
import java.net.Socket;
import org.junit.jupiter.api.*;
import org.junit.jupiter.api.extension.RegisterExtension;

/** What the tests of somebody's client look like, with the extension of the guide. */
class SearchTest {
    @RegisterExtension Conditioned link = new Conditioned("Wi-Fi", "at most 1 connection", "first byte within 5 s");

    private static HttpServer server;

    @BeforeAll static void serve() throws Exception {
        server = HttpServer.create(new InetSocketAddress("127.0.0.1", 0), 0);
        server.createContext("/", exchange -> {
            exchange.sendResponseHeaders(200, -1);
            exchange.close();
        });
        server.start();
    }

    @AfterAll static void stop() {
        server.stop(0);
    }

    /** On a connection of its own: HttpURLConnection would first try one that the server has closed. */
    private static void search() throws Exception {
        try (Socket socket = new Socket("127.0.0.1", server.getAddress().getPort())) {
            socket.getOutputStream().write("GET / HTTP/1.0\r\n\r\n".getBytes());
            assertTrue(new String(socket.getInputStream().readAllBytes()).contains(" 200 "));
        }
    }

    @Test void searchesOnce() throws Exception {
        search();
    }

    @Test void searchesTwice() throws Exception {
        search();
        search();
    }

    @Test void isOnTheLinkThatItAsksFor() throws Exception {
        long begin = System.nanoTime();
        search();
        // Wi-Fi has 1 ms each way: three packets until the answer, and the link's queue.
        assertTrue(System.nanoTime() - begin >= 3_000_000);
    }
}
