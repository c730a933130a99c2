/** Thrown when the link was completed concurrently. */
export class LinkAlreadyUsed extends Error {}

/** Thrown for links and pages of an instance that an operator has suspended. */
export class InstanceSuspended extends Error {}
