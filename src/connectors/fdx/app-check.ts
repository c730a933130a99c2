import type { Kit } from '../contract/contract.ts'
import { checkByRefusedGrant, checkCertificate, MADE_UP } from '../toolkit/oauth/app-check.ts'
import { listInstitutions } from './directory.ts'
import { findEndpoints } from './endpoints.ts'
import { type Profile, showsCertificate } from './profile.ts'
import { requestTokens } from './tokens.ts'

/** Sends an invented code, since the client is authenticated first. Banks listed by the operator are checked too. */
export async function checkApp(kit: Kit, profile: Profile): Promise<void> {
  const { certificate = '', certificateKey = '' } = kit.app
  if (showsCertificate(profile.authorization)) checkCertificate(certificate, certificateKey, kit.now())
  if (profile.institutions && 'listed' in profile.institutions) await listInstitutions(kit, profile)
  const code = { grant_type: 'authorization_code', code: MADE_UP, redirect_uri: 'https://localhost/', code_verifier: MADE_UP.repeat(2) }
  await checkByRefusedGrant(async (asking) => await requestTokens(asking, profile, await findEndpoints(asking, profile), code))(kit)
}
