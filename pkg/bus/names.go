package bus

import (
	"time"

	"github.com/nats-io/nats.go/jetstream"
)

// The buckets. This is the one list of them; Buckets says how each is made.
const (
	Links       = "links"       // a person and a client, scope and state; written by auth
	Grants      = "grants"      // OAuth sessions; written by auth
	Clients     = "clients"     // registered OAuth clients; written by auth
	Requests    = "requests"    // authorization requests and codes under way; written by auth
	Signins     = "signins"     // persons signed in on auth's pages; written by auth
	Keys        = "keys"        // sealed keysets of auth
	Operations  = "operations"  // operation.v1.Operation by id
	Idempotency = "idempotency" // operation.v1.Repeat by hash of link, tool and key
	Quota       = "quota"       // the last call times by limit and subject
	Turns       = "turns"       // whose turn it is to write, by company
	Approvals   = "approvals"   // auth.v1.Awaited by link and operation: calls that a person decides on; written by auth
	AuditHeads  = "audit_heads" // audit.v1.Head by writer: how far its chain of records has arrived
	Secrets     = "secrets"     // secret.v1.Secret by person and id: what the platform showed once, sealed
)

// The object stores.
const (
	Payloads = "payloads" // closed arguments of operations that are too large for a record
)

// The streams and their subjects.
const (
	OperationStream   = "OPERATIONS"
	OperationSubject  = "operation.run"
	OperationConsumer = "workers"

	AuditStream  = "AUDIT"
	AuditSubject = "audit" // + "." + link id
)

// Retention of what is kept; numbers from the contract.
const (
	OperationRetention   = 7 * 24 * time.Hour  // §6: results stay for 7 days
	IdempotencyRetention = 24 * time.Hour      // §7
	SecretRetention      = 24 * time.Hour      // how long a person may come for a secret that was shown once
	AuditRetention       = 90 * 24 * time.Hour // §9, the default
)

// The object stores.
const (
	Library = "library" // the pages that docs-mcp searches, where its replicas share them
)

// Buckets lists every key-value bucket.
func Buckets() []jetstream.KeyValueConfig {
	return []jetstream.KeyValueConfig{
		{Bucket: Links, Storage: jetstream.FileStorage, History: 1},
		{Bucket: Grants, Storage: jetstream.FileStorage, History: 1, LimitMarkerTTL: time.Hour},
		{Bucket: Clients, Storage: jetstream.FileStorage, History: 1, LimitMarkerTTL: time.Hour},
		{Bucket: Requests, Storage: jetstream.FileStorage, History: 1, TTL: 10 * time.Minute}, // §4
		{Bucket: Signins, Storage: jetstream.FileStorage, History: 1, LimitMarkerTTL: time.Hour},
		{Bucket: Keys, Storage: jetstream.FileStorage, History: 1},
		{Bucket: Operations, Storage: jetstream.FileStorage, History: 1, TTL: OperationRetention},
		{Bucket: Idempotency, Storage: jetstream.FileStorage, History: 1, TTL: IdempotencyRetention},
		{Bucket: Secrets, Storage: jetstream.FileStorage, History: 1, TTL: SecretRetention},
		{Bucket: Approvals, Storage: jetstream.FileStorage, History: 1, TTL: OperationRetention},
		{Bucket: AuditHeads, Storage: jetstream.FileStorage, History: 1, LimitMarkerTTL: time.Hour},
		{Bucket: Quota, Storage: jetstream.MemoryStorage, History: 1, TTL: 2 * time.Hour}, // the longest window is 1 h: §8
		{Bucket: Turns, Storage: jetstream.MemoryStorage, History: 1, TTL: time.Minute},
	}
}

// ObjectStores lists every object store.
func ObjectStores() []jetstream.ObjectStoreConfig {
	return []jetstream.ObjectStoreConfig{
		{Bucket: Library, Storage: jetstream.FileStorage},
		// An object goes with the end of its operation; the TTL is for those whose host died before.
		{Bucket: Payloads, Storage: jetstream.FileStorage, TTL: OperationRetention},
	}
}

// Streams lists every stream. auditRetention 0 means the default.
func Streams(auditRetention time.Duration) []jetstream.StreamConfig {
	if auditRetention == 0 {
		auditRetention = AuditRetention
	}
	return []jetstream.StreamConfig{
		{
			Name:      OperationStream,
			Subjects:  []string{OperationSubject},
			Retention: jetstream.WorkQueuePolicy,
			Storage:   jetstream.FileStorage,
			// The window only absorbs a publisher's own retries; the message id carries
			// the attempt number, so a deliberate second publication is never swallowed.
			Duplicates: 2 * time.Minute,
		},
		{
			Name:       AuditStream,
			Subjects:   []string{AuditSubject + ".>"},
			Retention:  jetstream.LimitsPolicy,
			Storage:    jetstream.FileStorage,
			MaxAge:     auditRetention,
			Duplicates: 2 * time.Minute,
			DenyDelete: true, // §9: records cannot be changed through the product
			DenyPurge:  true,
		},
	}
}
