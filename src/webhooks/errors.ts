const TEXTS = {
  duplicateSubscription: 'this event is already sent to this address',
  subscriptionDisabled: 'the subscription is disabled; enable it first',
  eventNotReceived: 'the subscription does not get this event: it is of another kind, or was a test',
  eventNotSubscribed: 'no active subscription gets this event',
  rotationUnderWay: 'a new secret is waiting already; promote or revoke it first',
  noWaitingSecret: 'no new secret is waiting; rotate first',
  tooManySecrets: 'five secrets live already; wait for the oldest to expire or revoke them',
  tooManyReceivers: 'ten receivers exist already; delete one first',
}

/** Thrown when a request conflicts with the current state. */
export class Conflict extends Error {
  readonly reason: keyof typeof TEXTS

  constructor(reason: keyof typeof TEXTS) {
    super(TEXTS[reason])
    this.name = 'Conflict'
    this.reason = reason
  }
}

/** Thrown for a callback URL that is not allowed; the message may be shown to the caller. */
export class InvalidCallbackUrl extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'InvalidCallbackUrl'
  }
}

/** Thrown when a request names an event that does not exist for the caller. */
export class UnknownEvent extends Error {
  constructor() {
    super('no such event')
    this.name = 'UnknownEvent'
  }
}
