// SPDX-License-Identifier: Apache-2.0
// Java's clients of scripts/check/clients: Clients CLIENT URL ORDER

import java.net.HttpURLConnection;
import java.net.URI;
import java.net.URL;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;

class Clients {
    public static void main(String[] words) throws Exception {
        var order = Files.readAllBytes(Path.of(words[2]));
        if (words[0].equals("url")) {
            ask(words[1] + "/page", null);
            ask(words[1] + "/orders", order);
            return;
        }
        // With HTTP/2 in the clear the client asks for an upgrade in its first request.
        var version = words[0].equals("http2") ? HttpClient.Version.HTTP_2 : HttpClient.Version.HTTP_1_1;
        var client = HttpClient.newBuilder().version(version).build();
        client.send(HttpRequest.newBuilder(URI.create(words[1] + "/page")).build(), BodyHandlers.ofByteArray());
        var post = HttpRequest.BodyPublishers.ofByteArray(order);
        client.send(HttpRequest.newBuilder(URI.create(words[1] + "/orders")).POST(post).build(), BodyHandlers.ofByteArray());
    }

    private static void ask(String url, byte[] body) throws Exception {
        var connection = (HttpURLConnection) new URL(url).openConnection();
        if (body != null) {
            connection.setDoOutput(true);
            connection.getOutputStream().write(body);
        }
        connection.getInputStream().readAllBytes();
    }
}
