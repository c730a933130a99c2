/** Answers about use and health. Days are UTC, `YYYY-MM-DD`. */
export interface Usage {
  from: string
  to: string
  api: { day: string; operation: string; status: number; count: number }[]
  runs: { day: string; state: string; count: number }[]
  deliveries: { day: string; status: 'pending' | 'delivered' | 'failed'; count: number }[]
  connections: { statusCode: number; statusName: string; count: number }[]
}

export interface DeploymentHealth {
  workers: { count: number; slots: number }
  sources: SourceHealth[]
  storage: { databaseBytes: number; tables: { name: string; bytes: number }[] }
}

export interface SourceHealth {
  key: string
  name: string
  environment: 'sandbox' | 'production'
  isRefusingKeys: boolean
  pausedUntil: string | null
  breaker: 'closed' | 'half-open' | 'open'
  limits: { name: string; remaining: number }[]
}
