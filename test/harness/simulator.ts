import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { request } from 'undici'
import { afterEach } from 'vitest'
import { type RunningSimulator, type ServedSimulator, type SimulatorOptions, serveSimulator } from '../../simulators/simulator.ts'

type Fields = Readonly<Record<string, string>>

/** OAuth settings of a simulator, for an app that follows the protocol. */
export interface OAuthSetup<S, O> {
  create(settings: Partial<O>, given: Pick<SimulatorOptions, 'baseUrl' | 'now'>): S
  authorizePath: string
  tokenPath: string
  /** Parameters of the authorization request. */
  query: Fields
  /** Form fields that grant access. */
  answer: Fields
  /** Client authentication of each token request, and the PKCE verifier. */
  client: { headers?: Fields; fields?: Fields }
}

/** Client id and secret in the form, and in a header. */
export const FORM_CLIENT = { fields: { client_id: 'app', client_secret: 'secret' } }
export const BASIC_CLIENT = { headers: { authorization: `Basic ${Buffer.from('app:secret').toString('base64')}` } }
export const REDIRECT_URI = 'http://127.0.0.1:1/back'

/** Opens simulators at noon of 2026-07-01 and calls their OAuth endpoints over HTTP; each is closed after its test. */
export function oauthSimulator<S extends ServedSimulator, O>(setup: OAuthSetup<S, O>) {
  const { query, answer, client } = setup
  const running: RunningSimulator<S>[] = []
  const folders: string[] = []
  afterEach(async () => {
    await Promise.all(running.splice(0).map((server) => server.close()))
    await Promise.all(folders.splice(0).map((folder) => rm(folder, { recursive: true })))
  })

  const addressOf = (url: string, more: Fields) => `${url}${setup.authorizePath}?${new URLSearchParams({ ...query, ...more })}`

  /** Parameters of the redirect URI; null if the response is not a redirect. */
  async function consent(url: string, more: Fields = {}, answered: Fields = {}): Promise<URLSearchParams | null> {
    const body = new URLSearchParams({ ...answer, ...answered }).toString()
    const response = await request(addressOf(url, more), { method: 'POST', body })
    await response.body.dump()
    const { location } = response.headers
    return typeof location === 'string' ? new URL(location).searchParams : null
  }

  async function token(url: string, form: Fields, headers: Fields = {}): Promise<{ status: number; body: Record<string, string> }> {
    const response = await request(`${url}${setup.tokenPath}`, {
      method: 'POST',
      headers: { accept: 'application/json', 'content-type': 'application/x-www-form-urlencoded', ...client.headers, ...headers },
      body: new URLSearchParams({ ...client.fields, ...form }).toString(),
    })
    return { status: response.statusCode, body: Object(await response.body.json()) }
  }

  return {
    start: async (settings: Partial<O> = {}): Promise<RunningSimulator<S>> => {
      const server = await serveSimulator(({ baseUrl }) => setup.create(settings, { baseUrl, now: () => new Date('2026-07-01T12:00:00Z') }))
      running.push(server)
      return server
    },
    /** Path of a file in a separate folder, deleted after the test. */
    stateFile: async (): Promise<string> => {
      const folder = await mkdtemp(join(tmpdir(), 'simulator-state-'))
      folders.push(folder)
      return join(folder, 'state.json')
    },
    page: async (url: string, more: Fields = {}): Promise<{ status: number; text: string }> => {
      const response = await request(addressOf(url, more))
      return { status: response.statusCode, text: await response.body.text() }
    },
    consent,
    token,
    /** Token response of a complete authorization; `more` and `answered` select the user and the books. */
    authorize: async (url: string, more: Fields = {}, answered: Fields = {}): Promise<Record<string, string>> => {
      const code = (await consent(url, more, answered))?.get('code') ?? ''
      return (await token(url, { grant_type: 'authorization_code', code, redirect_uri: query.redirect_uri ?? '' })).body
    },
  }
}
