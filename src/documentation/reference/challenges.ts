/** Operations of a login that waits for its second step: they need no session, but the token that the login gave. */
const OF_CHALLENGES = new Set(['completeLogin', 'beginPasskeyLogin'])

export function takesChallenge({ operationId }: { operationId: string }): boolean {
  return OF_CHALLENGES.has(operationId)
}
