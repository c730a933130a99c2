export const isLong = process.env.PROVE === '1'

/** Value of `npm run prove -- --percent N`; defaults to 100. */
const percent = Number(process.env.PERCENT ?? 100)
const part = (count: number): number => Math.ceil((count * percent) / 100)

/** Size of each long proof: full in `npm run prove`, a share in every test run. */
export const effort = {
  isLong,
  /** Jobs that wait while a claim is measured. */
  waitingJobs: isLong ? part(1_000_000) : 50_000,
  /** Events that 32 writers commit at random moments. */
  concurrentEvents: isLong ? part(50_000) : 2_000,
  /** Events over 72 simulated hours, each for a receiver that mostly fails. */
  flakyEvents: isLong ? part(500) : 30,
  /** Connections whose schedule is followed over a simulated week. */
  scheduledConnections: isLong ? part(2_000) : 60,
  /** Sealed values of each table that a key rotation re-encrypts. */
  sealedRows: isLong ? part(20_000) : 3_000,
  /** Scripts of the simulation; `npm run prove -- simulation --seeds N` runs any number. */
  simulatedSeeds: isLong ? part(20_000) : 250,
  /** Processes killed between a source's new token and our commit of it. */
  refreshKills: isLong ? part(200) : 10,
  /** Minutes of a simulated day in which a QuickBooks company is called more than it allows. */
  saturatedMinutes: isLong ? part(1_440) : 4,
  /** Worker processes killed at random moments. */
  randomKills: isLong ? part(200) : 12,
  /** Connections that publish at once while the change feed is read, and kills of their processes. */
  publishingConnections: isLong ? part(50) : 10,
  feedKills: isLong ? part(60) : 5,
  /** Times that PostgreSQL itself is killed under load. */
  postgresKills: isLong ? part(50) : 3,
  /** Times that a node of a cluster is killed during syncs. */
  nodeKills: isLong ? part(50) : 4,
  /** Client connections of pools of ours, and the server connections of the pooler that they share. */
  pooledClients: isLong ? part(4_000) : 1_000,
  pooledServers: isLong ? 100 : 20,
  /**
   * Times that the leader of three nodes is killed, and cut off, at least once in each of two ways; no share of it is in
   * every test run.
   */
  leaderKills: part(20),
  leaderCuts: Math.max(2, part(5)),
  /** How long the database is away while all roles run, in seconds; `npm run prove -- outage --minutes N` sets the whole length. */
  outageSeconds: isLong ? part(60 * Number(process.env.MINUTES ?? 60)) : 6,
  /** Reads by sessions that also write, while the replay of replicas stops and goes. */
  replicaReads: isLong ? part(50_000) : 800,
  /** Reconnects by simulated owners. */
  reconnects: isLong ? part(10_000) : 200,
  /** Real processes that share a source's limits, and the calls that they make together. */
  limitedProcesses: isLong ? 8 : 4,
  limitedCalls: isLong ? part(3_000) : 200,
  /** Records of an export whose sums another database compares. */
  exportedRows: isLong ? part(1_000_000) : 30_000,
  /** Requests that are made of the API's documents, for each of their operations. */
  generatedRequests: isLong ? part(60) : 2,
  /** Requests that are generated for all operations of an API together. */
  apiRequests: isLong ? part(10_000) : 2_000,
  /** Requests that are generated for each entry point beside the two APIs. */
  entryPointRequests: isLong ? part(10_000) : 250,
  /** The sandbox in the browser: all sources in both languages, or each in one of them. */
  everySourceInBothLanguages: isLong,
  /** The portal's pages: both languages in both themes, or each language in one of them. */
  everyLanguageInBothThemes: isLong,
}
