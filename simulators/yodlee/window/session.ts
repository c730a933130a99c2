/** One FastLink session. */
export interface Session {
  id: string
  loginName: string
  language: 'en' | 'fr'
  providerId: number | null
  /** Provider account being added or edited. */
  providerAccountId: number | null
  step: 'bank' | 'login' | 'code' | 'done'
  problem: 'credentials' | 'code' | null
  /** Provider accounts linked so far. */
  linked: number[]
  expiresAt: number
}
