import { Type } from 'typebox'
import { Check } from 'typebox/value'
import { type Connector, type ConnectorDescription, type Credentials, SourceError } from '../../src/connectors/contract/contract.ts'
import { responseJson } from '../../src/connectors/toolkit/http/answers.ts'
import { xeroConnector } from '../../src/connectors/xero/client.ts'

const Tokens = Type.Object({ access_token: Type.String(), refresh_token: Type.String(), expires_in: Type.Number() })

/** A source with authorization by Glewlwyd and no data. */
export const glewlwyd: ConnectorDescription = {
  key: 'glewlwyd',
  name: 'Glewlwyd',
  title: 'Glewlwyd',
  description: { 'en-CA': 'An identity provider', 'fr-CA': 'Un fournisseur d’identité' },
  category: 'Accounting',
  route: 'app',
  entities: ['Accounts'],
  link: 'redirect',
  appKeys: ['clientId', 'clientSecret'],
  hosts: { token: '' },
  refreshHours: 24,
  load: async () => connector,
}

const connector: Connector = {
  ...xeroConnector,
  async refreshCredentials(kit, credentials) {
    const { app, hosts } = kit
    const response = await kit.http({
      method: 'POST',
      url: `${hosts.token}/api/oidc/token`,
      headers: {
        authorization: `Basic ${Buffer.from(`${app.clientId}:${app.clientSecret}`).toString('base64')}`,
        'content-type': 'application/x-www-form-urlencoded',
      },
      body: new URLSearchParams({ grant_type: 'refresh_token', refresh_token: refreshTokenOf(credentials) }).toString(),
    })
    // Glewlwyd answers 400 without a message for a used or revoked token.
    if (response.status === 400) throw new SourceError('reconnect', 'Glewlwyd refused the refresh token')
    if (response.status !== 200) throw new SourceError('unavailable', `Glewlwyd answered ${response.status}`)
    return toCredentials(await responseJson(response, 'Glewlwyd'), kit.now())
  },
}

export function toCredentials(answer: unknown, now: Date): Credentials {
  if (!Check(Tokens, answer)) throw new Error('Glewlwyd returned no tokens')
  return {
    secret: { refreshToken: answer.refresh_token },
    expiresAt: new Date(now.getTime() + (answer.expires_in - 120) * 1000).toISOString(),
  }
}

function refreshTokenOf({ secret }: Credentials): string {
  if (typeof secret === 'object' && secret !== null && !Array.isArray(secret) && typeof secret.refreshToken === 'string') {
    return secret.refreshToken
  }
  throw new Error('these are not credentials of Glewlwyd')
}
