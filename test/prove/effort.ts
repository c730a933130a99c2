export const isLong = process.env.PROVE === '1'

/** How much of each long proof runs: all of it by `npm run prove`, a share in every test run. */
export const effort = {
  /** Jobs that wait while a claim is looked at. */
  waitingJobs: isLong ? 1_000_000 : 50_000,
  /** Events that 32 writers commit at random moments. */
  concurrentEvents: isLong ? 50_000 : 2_000,
  /** Events of 72 simulated hours, each for a receiver that mostly fails. */
  flakyEvents: isLong ? 500 : 30,
  /** Connections whose schedule is followed over a simulated week. */
  scheduledConnections: isLong ? 2_000 : 60,
  /** Sealed values of each table that a rotation of the key rewraps. */
  sealedRows: isLong ? 20_000 : 3_000,
  /** Scripts of the simulation; `npm run prove -- simulation --seeds N` runs any number. */
  simulatedSeeds: isLong ? 20_000 : 1_000,
  /** Processes killed between a source's new token and our commit of it. */
  refreshKills: isLong ? 200 : 10,
  /** Minutes of a simulated day for which a QuickBooks company is asked for more than it allows. */
  saturatedMinutes: isLong ? 1_440 : 4,
  /** Worker processes killed at random moments. */
  randomKills: isLong ? 200 : 12,
  /** Times that PostgreSQL itself is killed under load. */
  postgresKills: isLong ? 50 : 3,
  /** Reconnects of owners who do what owners do. */
  reconnects: isLong ? 10_000 : 200,
  /** Real processes that share a source's limits, and the calls that they make together. */
  limitedProcesses: isLong ? 8 : 4,
  limitedCalls: isLong ? 3_000 : 200,
  /** The sandbox in the browser: all sources in both languages, or each in one of them. */
  everySourceInBothLanguages: isLong,
  /** The portal's pages: both languages in both themes, or each language in one of them. */
  everyLanguageInBothThemes: isLong,
}
