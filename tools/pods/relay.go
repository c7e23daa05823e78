package main

import (
	"context"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"strconv"
	"sync/atomic"
)

// relay gives every service with an address one, and listens there.
func (c *cluster) relay() error {
	for _, s := range c.objects.services {
		if s.Spec.ClusterIP == "None" {
			continue
		}
		address := c.net.address()
		if err := c.net.alias(address); err != nil {
			return err
		}
		c.relays[s.Metadata.Name] = address
		for _, port := range s.Spec.Ports {
			listener, err := net.Listen("tcp", net.JoinHostPort(address, strconv.Itoa(port.Port)))
			if err != nil {
				return err
			}
			go c.forward(listener, s, port)
		}
	}
	return nil
}

// forward hands each connection to the next ready pod, until the process ends.
func (c *cluster) forward(listener net.Listener, s object, port servicePort) {
	var turn atomic.Uint64
	for {
		conn, err := listener.Accept()
		if err != nil {
			return
		}
		go func() {
			defer conn.Close()
			pods := c.behind(s, false)
			if len(pods) == 0 {
				return
			}
			p := pods[turn.Add(1)%uint64(len(pods))]
			to := port.Port
			if port.TargetPort != nil {
				to = p.container().port(port.TargetPort)
			}
			there, err := net.Dial("tcp", p.at(to))
			if err != nil {
				return
			}
			defer there.Close()
			go func() {
				_, _ = io.Copy(there, conn)
				_ = there.(*net.TCPConn).CloseWrite()
			}()
			_, _ = io.Copy(conn, there)
		}()
	}
}

// control answers what the command asks for.
func (c *cluster) control() (net.Listener, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	answer := func(w http.ResponseWriter, err error) {
		if err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
		}
	}
	mux := http.NewServeMux()
	mux.HandleFunc("POST /restart", func(w http.ResponseWriter, r *http.Request) {
		answer(w, c.restart(r.Context(), r.FormValue("name")))
	})
	mux.HandleFunc("POST /kill", func(w http.ResponseWriter, r *http.Request) {
		for _, p := range c.list() {
			if p.name == r.FormValue("pod") {
				ctx, cancel := context.WithTimeout(r.Context(), c.patience)
				defer cancel()
				answer(w, c.again(ctx, p, (*pod).kill))
				return
			}
		}
		http.Error(w, "no such pod", http.StatusNotFound)
	})
	mux.HandleFunc("GET /pods", func(w http.ResponseWriter, _ *http.Request) {
		type told struct {
			Name, Address string
			Ready, Fell   bool
		}
		all := []told{}
		for _, p := range c.list() {
			all = append(all, told{p.name, p.address, p.ready.Load(), p.fell.Load()})
		}
		_ = json.NewEncoder(w).Encode(all) // the asker going away is its own affair
	})
	go func() { _ = http.Serve(listener, mux) }()
	return listener, nil
}
