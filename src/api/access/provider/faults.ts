/** Reasons why a sign-in with a provider fails, as the portal and audit entries name them. */
export const SIGN_IN_FAULTS = [
  // The provider
  'unavailable',
  'refused',
  'misconfigured',
  'invalidAnswer',
  'weakAuthentication',
  // The sign-in
  'expired',
  'notSet',
  'suspended',
  // The person
  'noEmail',
  'unverifiedEmail',
  'otherDomain',
  'notMember',
  'taken',
  'disabled',
  'noRole',
  'groupsMissing',
] as const
export type SignInFaultCode = (typeof SIGN_IN_FAULTS)[number]

/** Sign-in that failed; nothing was changed. The message is for logs and never contains a token. */
export class SignInFault extends Error {
  override readonly name = 'SignInFault'
  readonly code: SignInFaultCode

  constructor(code: SignInFaultCode, message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause })
    this.code = code
  }
}
