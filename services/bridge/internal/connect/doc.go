// Package connect puts servers into the configuration files of MCP clients. It
// owns the list of clients (where their file is, how an entry looks) and the
// merge: what was in the file stays byte for byte, and a copy of it is kept.
package connect
