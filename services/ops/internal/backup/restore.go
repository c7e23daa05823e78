package backup

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"

	"github.com/nats-io/jsm.go"
	"github.com/nats-io/jsm.go/api"
	"github.com/nats-io/nats.go"
)

// Options say how a backup is brought back.
type Options struct {
	Replace  bool // delete what holds messages now
	Replicas int  // copies of each stream here, which may differ from where it comes from
}

// Restore brings back a backup, or the last whole one below the folder, and gives
// what it brought, also where it stops with an error. Services must be stopped: they
// make empty buckets of what they miss.
func Restore(ctx context.Context, conn *nats.Conn, folder string, o Options) ([]Stream, error) {
	m, err := open(folder)
	if err != nil {
		return nil, err
	}
	manager, err := jsm.New(conn)
	if err != nil {
		return nil, fmt.Errorf("JetStream: %w", err)
	}
	// Nothing is deleted before all is known to be free.
	for _, s := range m.Streams {
		if err := free(manager, s.Name, o.Replace); err != nil {
			return nil, err
		}
	}
	var done []Stream
	for _, s := range m.Streams {
		brought, err := bring(ctx, manager, m.Folder, s, o)
		if err != nil {
			return done, err
		}
		done = append(done, brought)
	}
	return done, nil
}

// free reports what stands in a stream's place.
func free(manager *jsm.Manager, name string, replace bool) error {
	stream, err := manager.LoadStream(name)
	if jsm.IsNatsError(err, streamNotFound) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("stream %s: %w", name, err)
	}
	state, err := stream.State()
	if err != nil {
		return fmt.Errorf("stream %s: %w", name, err)
	}
	if state.Msgs > 0 && !replace {
		return fmt.Errorf("%s holds %d messages; stop the services and say --replace to lose them", name, state.Msgs)
	}
	return nil
}

func bring(ctx context.Context, manager *jsm.Manager, folder string, s Stream, o Options) (Stream, error) {
	if stream, err := manager.LoadStream(s.Name); err == nil {
		if err := stream.Delete(); err != nil {
			return Stream{}, fmt.Errorf("delete the present %s: %w", s.Name, err)
		}
	}
	from := filepath.Join(folder, s.Name)
	cfg, err := configuration(from)
	if err != nil {
		return Stream{}, fmt.Errorf("snapshot of %s: %w", s.Name, err)
	}
	cfg.Replicas = o.Replicas
	_, state, err := manager.RestoreSnapshotFromDirectory(ctx, s.Name, from, jsm.RestoreConfiguration(cfg))
	if err != nil {
		return Stream{}, fmt.Errorf("restore %s: %w", s.Name, err)
	}
	return Stream{Name: s.Name, Messages: state.Msgs}, nil
}

// configuration is that of the stream when its snapshot was made.
func configuration(snapshot string) (api.StreamConfig, error) {
	content, err := os.ReadFile(filepath.Join(snapshot, jsm.SnapshotMetaFile))
	if err != nil {
		return api.StreamConfig{}, err
	}
	var meta struct {
		Config api.StreamConfig `json:"config"`
	}
	if err := json.Unmarshal(content, &meta); err != nil {
		return api.StreamConfig{}, fmt.Errorf("%s: %w", jsm.SnapshotMetaFile, err)
	}
	return meta.Config, nil
}
