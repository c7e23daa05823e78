// Package backup takes what NATS keeps for Comporta out to a folder, and brings
// it back: the buckets and streams of pkg/bus that are on disk, each with its
// revisions, times to live and message ids, by JetStream's own snapshots. What
// is made again by itself (counts of calls, turns, the pages of docs-mcp) and what
// nobody misses after a minute (authorization requests) is left out.
//
// Everything in it is as NATS holds it: credentials are sealed, and the keys to
// them are under auth's master key, which is not in a backup.
package backup

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/nats-io/jsm.go"
	"github.com/nats-io/nats.go"

	"github.com/comporta-mcp/comporta/pkg/bus"
)

// format is the version of the folder's form.
const format = 1

const manifestFile = "manifest.json"

// Manifest says what a backup holds. It is written last: a folder without one is
// no whole backup.
type Manifest struct {
	Format  int       `json:"format"`
	Version string    `json:"version"` // of the Comporta that wrote it
	Made    time.Time `json:"made"`
	Streams []Stream  `json:"streams"`

	Folder string `json:"-"` // where it was written or read
}

// Stream is one bucket, object store or stream, under JetStream's name.
type Stream struct {
	Name     string `json:"name"`
	Messages uint64 `json:"messages"`
}

// streams are what is kept, in the order in which it is brought back: keys before
// what they open, links before what leans on them.
func streams() []string {
	const bucket, store = "KV_", "OBJ_"
	return []string{
		bucket + bus.Keys, bucket + bus.Links, bucket + bus.Grants, bucket + bus.Clients, bucket + bus.Signins,
		bucket + bus.Secrets, store + bus.Payloads, bucket + bus.Operations, bucket + bus.Idempotency,
		bus.AuditStream, bus.OperationStream,
	}
}

// Make writes a backup into a new folder below to, named after the time.
func Make(ctx context.Context, conn *nats.Conn, to, version string, now time.Time) (*Manifest, error) {
	manager, err := jsm.New(conn)
	if err != nil {
		return nil, fmt.Errorf("JetStream: %w", err)
	}
	m := &Manifest{Format: format, Version: version, Made: now.UTC(), Folder: filepath.Join(to, now.UTC().Format("20060102T150405.000Z"))}
	if err := os.MkdirAll(m.Folder, 0o700); err != nil {
		return nil, fmt.Errorf("folder of the backup: %w", err)
	}
	for _, name := range streams() {
		stream, err := manager.LoadStream(name)
		if jsm.IsNatsError(err, streamNotFound) {
			continue // a new installation has not made it yet
		}
		if err != nil {
			return nil, fmt.Errorf("stream %s: %w", name, err)
		}
		state, err := stream.State()
		if err != nil {
			return nil, fmt.Errorf("stream %s: %w", name, err)
		}
		// Consumers are left out: the worker makes its own, at the first message that is there.
		if _, err := stream.SnapshotToDirectory(ctx, filepath.Join(m.Folder, name), jsm.SnapshotHealthCheck()); err != nil {
			return nil, fmt.Errorf("snapshot of %s: %w", name, err)
		}
		m.Streams = append(m.Streams, Stream{Name: name, Messages: state.Msgs})
	}
	if len(m.Streams) == 0 {
		return nil, errors.New("NATS holds nothing of Comporta")
	}
	return m, m.write()
}

// streamNotFound is JetStream's error code for it.
const streamNotFound = 10059

func (m *Manifest) write() error {
	content, err := json.MarshalIndent(m, "", "  ")
	if err != nil {
		return err
	}
	path := filepath.Join(m.Folder, manifestFile)
	if err := os.WriteFile(path+".part", content, 0o600); err != nil {
		return fmt.Errorf("manifest: %w", err)
	}
	return os.Rename(path+".part", path)
}

// open reads the manifest of a backup, or of the last whole one below the folder.
func open(folder string) (*Manifest, error) {
	if _, err := os.Stat(filepath.Join(folder, manifestFile)); err != nil {
		whole, err := wholeOnes(folder)
		if err != nil {
			return nil, err
		}
		if len(whole) == 0 {
			return nil, fmt.Errorf("%s holds no whole backup", folder)
		}
		folder = whole[len(whole)-1]
	}
	content, err := os.ReadFile(filepath.Join(folder, manifestFile))
	if err != nil {
		return nil, fmt.Errorf("manifest: %w", err)
	}
	m := &Manifest{Folder: folder}
	if err := json.Unmarshal(content, m); err != nil {
		return nil, fmt.Errorf("manifest of %s: %w", folder, err)
	}
	if m.Format != format {
		return nil, fmt.Errorf("%s has the form %d; this version reads form %d", folder, m.Format, format)
	}
	return m, nil
}

// wholeOnes gives the folders of whole backups, the oldest first.
func wholeOnes(to string) ([]string, error) {
	found, err := filepath.Glob(filepath.Join(to, "*", manifestFile))
	if err != nil {
		return nil, fmt.Errorf("folder of backups: %w", err)
	}
	for i := range found {
		found[i] = filepath.Dir(found[i])
	}
	slices.Sort(found)
	return found, nil
}

// Prune deletes all but the last keep whole backups; 0 keeps all.
func Prune(to string, keep int) error {
	whole, err := wholeOnes(to)
	if err != nil || keep <= 0 || len(whole) <= keep {
		return err
	}
	for _, old := range whole[:len(whole)-keep] {
		if err := os.RemoveAll(old); err != nil {
			return fmt.Errorf("delete an old backup: %w", err)
		}
	}
	return nil
}
