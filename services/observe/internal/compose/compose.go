// Package compose lets a language model write a query for a person's goal, and
// corrects it with what the schema and the endpoint say, until one works or the
// bounds are reached. It owns the conversation. What the model writes is only
// ever read as a GraphQL query: whatever it was talked into, a read is the most
// that can come of it.
package compose

import (
	"context"
	"errors"
	"time"

	"github.com/comporta-mcp/comporta/services/observe/internal/gql"
	"github.com/comporta-mcp/comporta/services/observe/internal/model"
	"github.com/comporta-mcp/comporta/services/observe/internal/source"
)

// MostAttempts is contract §11's bound: requests to the model for one goal.
const MostAttempts = 6

// Model answers a conversation; package model says which errors there are.
type Model interface {
	Answer(ctx context.Context, conversation []model.Message) (string, error)
}

// Composer asks one model. It is safe for concurrent use.
type Composer struct {
	Model    Model
	Attempts int              // 1 to MostAttempts
	Total    time.Duration    // for all attempts together
	Now      func() time.Time // what the model is told of the time
	Sleep    func(ctx context.Context, d time.Duration) error
	// Failed is told of a request to the model that brought nothing; for logs.
	Failed func(ctx context.Context, err error)
}

// Goal is what is wanted, and of what.
type Goal struct {
	Text       string // the person's words, without secrets
	DataSource string
	Schema     *gql.Schema
	// Run sends a checked query with the caller's credential.
	Run func(ctx context.Context, query string) (*source.Answer, error)
}

// Outcome is how it ended. Answer is nil where no query worked.
type Outcome struct {
	Attempts int    // requests to the model
	Query    string // the last one that was sent to the endpoint; "" for none
	Answer   *source.Answer
	Silent   bool // the last attempt failed for want of the model
}

// errTotal is why the time of all attempts ends.
var errTotal = errors.New("the time for all attempts is over")

// Compose works on a goal. An error is ctx's, or a problem that no other query
// would change: the endpoint is away, or refuses the person.
func (c *Composer) Compose(ctx context.Context, goal Goal) (*Outcome, error) {
	limited, cancel := context.WithTimeoutCause(ctx, c.Total, errTotal)
	defer cancel()
	talk := newTalk(goal, c.Now())
	out := &Outcome{}
	for out.Attempts < c.Attempts && limited.Err() == nil {
		out.Attempts++
		text, err := c.Model.Answer(limited, talk.messages())
		if err != nil {
			out.Silent = true
			if !c.again(limited, err) {
				break
			}
			continue
		}
		out.Silent = false
		done, err := try(limited, goal, talk, text, out)
		if err != nil && limited.Err() == nil {
			return out, err
		}
		if done {
			return out, nil
		}
	}
	return out, ctx.Err()
}

// again reports whether a model that failed is asked once more, after the wait
// that it wants.
func (c *Composer) again(ctx context.Context, err error) bool {
	c.Failed(ctx, err)
	failed, ok := errors.AsType[*model.Failure](err)
	if !ok || failed.Lasting {
		return false
	}
	if deadline, bounded := ctx.Deadline(); bounded && time.Until(deadline) < failed.After {
		return false
	}
	return failed.After == 0 || c.Sleep(ctx, failed.After) == nil
}

// try takes the query out of what the model wrote and sends it, where that may be.
func try(ctx context.Context, goal Goal, talk *talk, text string, out *Outcome) (done bool, err error) {
	query, err := gql.Canonical(gql.Extract(text))
	if err == nil {
		err = goal.Schema.Check(query, nil)
	}
	if refused, ok := errors.AsType[*gql.Refused](err); ok {
		talk.correct(text, refused.Faults, refused.Types)
		return false, nil
	}
	if err != nil {
		return false, err
	}
	out.Query = query
	answer, err := goal.Run(ctx, query)
	if err != nil {
		return false, err
	}
	if len(answer.Errors) > 0 {
		talk.correct(query, answer.Errors, goal.Schema.Mentioned(query))
		return false, nil
	}
	out.Answer = answer
	return true, nil
}
