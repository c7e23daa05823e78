// Package fault owns the named points at which a test may kill this process, to
// show that nothing is lost or done twice. Only binaries built with the tag
// "faults" can die there; in all others Point is empty.
package fault

// The points of a write and of its operation, in the order they are passed.
const (
	BeforeSend   = "before_send"   // the journal says SENT, nothing has left
	AfterSend    = "after_send"    // the platform answered, nobody knows here
	BeforeRecord = "before_record" // the answer is understood, not yet recorded
	AfterRecord  = "after_record"  // the answer is recorded
	BeforeKeep   = "before_keep"   // the platform showed a secret, nobody keeps it yet
	AfterKeep    = "after_keep"    // the secret is kept, the answer is not recorded
	BeforeAck    = "before_ack"    // the operation has ended, its message is still in the queue
)
