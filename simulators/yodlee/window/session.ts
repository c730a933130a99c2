/** One opening of FastLink. */
export interface Session {
  id: string
  loginName: string
  language: 'en' | 'fr'
  providerId: number | null
  /** That is being added or edited. */
  providerAccountId: number | null
  step: 'bank' | 'login' | 'code' | 'done'
  problem: 'credentials' | 'code' | null
  /** Provider accounts that were linked so far. */
  linked: number[]
  expiresAt: number
}
