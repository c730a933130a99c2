/** Thrown when the link was completed concurrently. */
export class LinkAlreadyUsed extends Error {}
