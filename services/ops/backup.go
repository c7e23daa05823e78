package ops

import (
	"context"
	"errors"
	"io"
	"time"

	"github.com/comporta-mcp/comporta/pkg/bus"
	"github.com/comporta-mcp/comporta/services/internal/process"
	"github.com/comporta-mcp/comporta/services/ops/internal/backup"
)

// Backup is the configuration of the command backup.
type Backup struct {
	NATS bus.Config
	To   string `help:"folder for the backups; each is a folder of its own in it, named after the time"`
	Keep int    `help:"how many backups stay in the folder; 0: all"`
}

// Validate lists all faults.
func (c Backup) Validate() error {
	var faults []error
	if c.To == "" {
		faults = append(faults, errors.New("to: name a folder"))
	}
	if c.Keep < 0 {
		faults = append(faults, errors.New("keep: must not be negative"))
	}
	return errors.Join(faults...)
}

// Run writes a backup and tells on out what is in it.
func (c Backup) Run(ctx context.Context, out io.Writer) error {
	b, err := connect(c.NATS)
	if err != nil {
		return err
	}
	defer b.Close()
	made, err := backup.Make(ctx, b.Conn, c.To, process.Version, time.Now())
	if err != nil {
		return err
	}
	for _, s := range made.Streams {
		say(out, "%-16s %8d messages", s.Name, s.Messages)
	}
	say(out, "%s is complete", made.Folder)
	return backup.Prune(c.To, c.Keep)
}

// Restore is the configuration of the command restore.
type Restore struct {
	NATS    bus.Config
	From    string `help:"folder of one backup, or of several: then the last one"`
	Replace bool   `help:"delete what is in NATS before; without it, only what is missing or empty is brought back"`
}

// Validate lists all faults.
func (c Restore) Validate() error {
	if c.From == "" {
		return errors.New("from: name the folder of a backup")
	}
	return nil
}

// Run brings a backup back and tells on out what it brought.
func (c Restore) Run(ctx context.Context, out io.Writer) error {
	b, err := connect(c.NATS)
	if err != nil {
		return err
	}
	defer b.Close()
	done, err := backup.Restore(ctx, b.Conn, c.From, backup.Options{Replace: c.Replace, Replicas: max(c.NATS.Replicas, 1)})
	for _, s := range done {
		say(out, "%-16s %8d messages", s.Name, s.Messages)
	}
	if err != nil {
		return err
	}
	say(out, "restored; start the services")
	return nil
}
