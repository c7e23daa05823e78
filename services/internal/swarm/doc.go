// Package swarm tests Comporta as it runs in production: every service a
// process of its own, several replicas, mutual TLS, a NATS server, and kill -9
// at any moment. It has tests only.
package swarm
