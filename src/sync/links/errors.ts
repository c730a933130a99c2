/** The link was used up by somebody else meanwhile. */
export class LinkAlreadyUsed extends Error {}
