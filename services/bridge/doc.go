// Package bridge carries MCP messages between a client that only starts local
// processes and a remote server: lines on stdin and stdout on one side, streamable
// HTTP on the other.
//
// It passes messages on as they are and speaks every revision of the protocol from
// 2024-11-05 to 2026-07-28 by reading from them what HTTP needs: the version, the
// session, the method and the name. It owns the promise that each request read
// gets exactly one answer with the same id, whatever becomes of the network, and
// that stdout carries nothing but messages. Signing in is package oauth's.
package bridge
