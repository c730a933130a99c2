import type {
  PublicKeyCredentialCreationOptionsJSON,
  PublicKeyCredentialDescriptorJSON,
  PublicKeyCredentialRequestOptionsJSON,
} from '@simplewebauthn/server'

/**
 * Options of the API for a registration: what browsers need, without what the library adds for old ones. That the user
 * has to be verified, and that no attestation is wanted, is said here alone.
 */
export function toCreationAnswer(options: PublicKeyCredentialCreationOptionsJSON) {
  const { rp, user, challenge, pubKeyCredParams, timeout = 0, excludeCredentials = [] } = options
  return {
    ...{ rp: { id: rp.id ?? '', name: rp.name }, user, challenge, timeout },
    excludeCredentials: excludeCredentials.map(toDescriptor),
    pubKeyCredParams: pubKeyCredParams.map(({ alg }) => ({ alg, type: 'public-key' as const })),
    authenticatorSelection: { residentKey: 'discouraged', requireResidentKey: false, userVerification: 'required' } as const,
    attestation: 'none' as const,
  }
}

/** Options of the API for a proof; the user has to be verified. */
export function toRequestAnswer({ challenge, timeout = 0, rpId = '', allowCredentials = [] }: PublicKeyCredentialRequestOptionsJSON) {
  return { challenge, timeout, rpId, allowCredentials: allowCredentials.map(toDescriptor), userVerification: 'required' as const }
}

function toDescriptor({ id, transports = [] }: PublicKeyCredentialDescriptorJSON) {
  return { id, transports, type: 'public-key' as const }
}
