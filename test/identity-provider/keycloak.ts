import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { cp, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { until } from '../process/deadline.ts'
import { findFreePort } from '../process/service.ts'
import type { RealHarness } from './real-harness.ts'
import { CLIENT } from './scripted-provider.ts'

const ADMIN = { username: 'operator', password: 'operator-4711' }
export const PERSON = { username: 'robin', password: 'robin-4711' }

/** A Keycloak of one's own on loopback, with one client, one group and one person. */
export interface Keycloak {
  issuer: string
  /** Ends the sessions of the person, as its administrator does. */
  endSessions(): Promise<void>
  stop(): Promise<void>
}

/** `home`: an unpacked distribution, which is copied. Takes about half a minute. */
export async function startKeycloak(home: string, addresses: RealHarness['addresses']): Promise<Keycloak> {
  const folder = await mkdtemp(join(tmpdir(), 'keycloak-'))
  await cp(home, folder, { recursive: true })
  await mkdir(join(folder, 'data/import'), { recursive: true })
  await writeFile(join(folder, 'data/import/maple.json'), JSON.stringify(realmWith(addresses)))
  const port = await findFreePort()
  const url = `http://127.0.0.1:${port}`
  const child = spawn(join(folder, 'bin/kc.sh'), ['start-dev', '--import-realm', `--http-port=${port}`, '--http-host=127.0.0.1'], {
    stdio: 'ignore',
    detached: true,
    env: { ...process.env, KC_BOOTSTRAP_ADMIN_USERNAME: ADMIN.username, KC_BOOTSTRAP_ADMIN_PASSWORD: ADMIN.password },
  })
  const stop = async (): Promise<void> => {
    await end(child)
    await rm(folder, { recursive: true, force: true })
  }
  const issuer = `${url}/realms/maple`
  const isUp = async () => ((await fetch(issuer).catch(() => null))?.ok ? true : null)
  try {
    await until(
      'Keycloak answers',
      async () => (child.exitCode === null ? await isUp() : Promise.reject(new Error('Keycloak ended'))),
      180_000,
    )
  } catch (error) {
    await stop()
    throw error
  }
  return { issuer, stop, endSessions: async () => await endSessions(url) }
}

async function endSessions(url: string): Promise<void> {
  const form = new URLSearchParams({ grant_type: 'password', client_id: 'admin-cli', ...ADMIN })
  const token = await fetch(`${url}/realms/master/protocol/openid-connect/token`, { method: 'POST', body: form })
  const { access_token: bearer } = (await token.json()) as { access_token: string }
  const headers = { authorization: `Bearer ${bearer}` }
  const found = await fetch(`${url}/admin/realms/maple/users?username=${PERSON.username}`, { headers })
  const [person] = (await found.json()) as { id: string }[]
  const ended = await fetch(`${url}/admin/realms/maple/users/${person?.id}/logout`, { method: 'POST', headers })
  if (!ended.ok) throw new Error(`Keycloak answered ${ended.status}`)
}

/** Source: https://www.keycloak.org/server/importExport */
function realmWith({ redirectUri, postLogoutRedirectUri, backChannelLogoutUri }: RealHarness['addresses']): object {
  const toTokens = { 'id.token.claim': 'true', 'access.token.claim': 'false', 'userinfo.token.claim': 'true' }
  return {
    realm: 'maple',
    enabled: true,
    sslRequired: 'none',
    groups: [{ name: 'builders' }],
    users: [
      {
        ...{
          username: PERSON.username,
          enabled: true,
          email: 'robin@maple.example',
          emailVerified: true,
          firstName: 'Robin',
          lastName: 'Roy',
        },
        ...{ groups: ['builders'], credentials: [{ type: 'password', value: PERSON.password, temporary: false }] },
      },
    ],
    clients: [
      {
        ...{ clientId: CLIENT.id, secret: CLIENT.secret, protocol: 'openid-connect', publicClient: false, standardFlowEnabled: true },
        redirectUris: [redirectUri],
        attributes: {
          'post.logout.redirect.uris': postLogoutRedirectUri,
          'backchannel.logout.url': backChannelLogoutUri,
          'backchannel.logout.session.required': 'true',
        },
        protocolMappers: [
          {
            ...{ name: 'groups', protocol: 'openid-connect', protocolMapper: 'oidc-group-membership-mapper' },
            config: { 'claim.name': 'groups', 'full.path': 'false', ...toTokens },
          },
        ],
      },
    ],
  }
}

/** Keycloak's script starts Java as a child: the whole group ends. */
async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.pid === undefined) return
  const gone = once(child, 'exit')
  process.kill(-child.pid, 'SIGKILL')
  await gone
}
