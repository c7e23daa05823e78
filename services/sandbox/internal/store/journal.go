package store

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"fmt"
)

// Effect counts how many times a write of one operation took effect on one name.
type Effect struct {
	Account int64    `json:"account"`
	Tool    string   `json:"tool"` // operationId
	Name    string   `json:"name"` // what the resource is called, else its key
	Count   int      `json:"count"`
	Paths   []string `json:"paths"` // what it worked on, newest last, at most maxPaths
}

const maxPaths = 100

// Happened adds one to a count.
func (t *Tx) Happened(accountID int64, tool, name, path string) error {
	b := t.tx.Bucket(effects)
	key := account(accountID, tool+"\x00"+name)
	e := Effect{Account: accountID, Tool: tool, Name: name}
	if raw := b.Get(key); raw != nil {
		if err := json.Unmarshal(raw, &e); err != nil {
			return fmt.Errorf("decode an effect: %w", err)
		}
	}
	e.Count++
	e.Paths = append(e.Paths, path)
	e.Paths = e.Paths[max(0, len(e.Paths)-maxPaths):]
	return put(b, key, e)
}

// Effects are the counts of one account (0: of all) and one tool ("": of all).
func (t *Tx) Effects(accountID int64, tool string) ([]Effect, error) {
	all := []Effect{}
	err := t.tx.Bucket(effects).ForEach(func(k, raw []byte) error {
		if accountID != 0 && int64(binary.BigEndian.Uint64(k)) != accountID {
			return nil
		}
		if tool != "" && !bytes.HasPrefix(k[8:], []byte(tool+"\x00")) {
			return nil
		}
		var e Effect
		if err := json.Unmarshal(raw, &e); err != nil {
			return fmt.Errorf("decode an effect: %w", err)
		}
		all = append(all, e)
		return nil
	})
	return all, err
}

// Answered is what a write was answered, for its repeats.
type Answered struct {
	Request string `json:"request"` // fingerprint of method, target and body
	Status  int    `json:"status"`
	Media   string `json:"media"`
	Body    []byte `json:"body"`
}

// Answer is what an account's idempotency key was answered; nil when it is new.
func (t *Tx) Answer(accountID int64, key string) (*Answered, error) {
	raw := t.tx.Bucket(answers).Get(account(accountID, key))
	if raw == nil {
		return nil, nil
	}
	a := new(Answered)
	if err := json.Unmarshal(raw, a); err != nil {
		return nil, fmt.Errorf("decode an answer: %w", err)
	}
	return a, nil
}

// KeepAnswer remembers it; it stays until its account is reset.
func (t *Tx) KeepAnswer(accountID int64, key string, a Answered) error {
	return put(t.tx.Bucket(answers), account(accountID, key), a)
}

// Revoke makes a token holder's token invalid, or valid again.
func (t *Tx) Revoke(holder string, revoked bool) error {
	if !revoked {
		return t.tx.Bucket(tokens).Delete([]byte(holder))
	}
	return t.tx.Bucket(tokens).Put([]byte(holder), []byte{1})
}

// Revoked reports whether a holder's token is invalid.
func (t *Tx) Revoked(holder string) bool {
	return t.tx.Bucket(tokens).Get([]byte(holder)) != nil
}
