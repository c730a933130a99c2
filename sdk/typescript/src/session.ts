import type { LoginResponse } from './generated/types.gen.ts'

export interface Login {
  email: string
  password: string
  /** For an account with two-step login: the six digits that its app shows now. */
  code?: () => string | Promise<string>
}

export interface SessionCalls {
  login(email: string, password: string): Promise<LoginResponse>
  completeLogin(challenge: string, code: string): Promise<LoginResponse>
  refresh(refreshToken: string): Promise<LoginResponse>
}

/** Tokens of a user who logs in. A failed login leaves nothing behind: the next call logs in again. */
export class Session {
  readonly #calls: SessionCalls
  readonly #login: Login
  #tokens: LoginResponse | undefined
  #pending: Promise<LoginResponse> | undefined

  constructor(login: Login, calls: SessionCalls) {
    this.#login = login
    this.#calls = calls
  }

  async token(): Promise<string> {
    return (this.#tokens ?? (await this.#renewOnce())).access_token
  }

  /** Another token than the one that was refused. */
  async tokenAfter(refused: string): Promise<string> {
    if (this.#tokens && this.#tokens.access_token !== refused) return this.#tokens.access_token
    return (await this.#renewOnce()).access_token
  }

  /** Calls at the same time share one renewal: a refresh token works once. */
  async #renewOnce(): Promise<LoginResponse> {
    this.#pending ??= this.#renew().finally(() => {
      this.#pending = undefined
    })
    return await this.#pending
  }

  async #renew(): Promise<LoginResponse> {
    const refreshToken = this.#tokens?.refreshToken
    this.#tokens = undefined
    const refreshed = refreshToken ? await this.#calls.refresh(refreshToken).catch(() => undefined) : undefined
    this.#tokens = refreshed ?? (await this.#logIn())
    return this.#tokens
  }

  async #logIn(): Promise<LoginResponse> {
    const { email, password, code } = this.#login
    const answer = await this.#calls.login(email, password)
    if (!answer.twoStepVerify) return answer
    if (!code) throw new Error('This account has two-step login: give `login.code`, or use an API key.')
    return await this.#calls.completeLogin(answer.access_token, await code())
  }
}
