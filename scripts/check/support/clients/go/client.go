// SPDX-License-Identifier: Apache-2.0

// The client of net/http, of scripts/check/clients: go-client URL ORDER. With https it is one of HTTP/2.
package main

import (
	"bytes"
	"crypto/tls"
	"fmt"
	"io"
	"net/http"
	"os"
)

func must(answer *http.Response, err error) {
	if err == nil {
		_, err = io.Copy(io.Discard, answer.Body)
		answer.Body.Close()
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func main() {
	keys, _ := os.OpenFile(os.Getenv("SSLKEYLOGFILE"), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0600)
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.TLSClientConfig = &tls.Config{InsecureSkipVerify: true}
	if keys != nil {
		transport.TLSClientConfig.KeyLogWriter = keys
	}
	client := &http.Client{Transport: transport}
	order, err := os.ReadFile(os.Args[2])
	if err != nil {
		panic(err)
	}
	must(client.Get(os.Args[1] + "/page"))
	must(client.Post(os.Args[1]+"/orders", "application/octet-stream", bytes.NewReader(order)))
}
