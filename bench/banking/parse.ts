import { openFile, readItems, verifyFile } from '../../src/connectors/bank-files/read.ts'
import { STATEMENTS } from './statements.ts'

export interface ParsedFile {
  /** Megabytes per second of processor time: parsing alone. */
  parsed: number
  /** The same up to the finished records: first pass over checksums, ids, dates, masking. */
  read: number
  /** Number of transactions read. */
  movements: number
  /** Peak memory above the initial memory, as a share of the file's size. */
  memoryShare: number
}

const BYTES = 20_000_000

/** Parses one file in a separate process: `node parse.ts FORMAT ROUNDS`. */
const [format = '', rounds = '3'] = process.argv.slice(2)
const statement = STATEMENTS[format]
if (!statement) throw new Error(`unknown format: ${format}`)
const bytes = Buffer.from(statement.write(BYTES))
const best: ParsedFile = { parsed: 0, read: 0, movements: 0, memoryShare: 0 }
for (let round = 0; round < Number(rounds); round += 1) {
  global.gc?.()
  const before = process.memoryUsage().heapUsed
  let most = 0
  let count = 0
  const parsing = process.cpuUsage()
  for (const _part of openFile(bytes).parts()) {
    count += 1
    if (count % 20_000 === 0) most = Math.max(most, process.memoryUsage().heapUsed - before)
  }
  best.parsed = Math.max(best.parsed, bytes.length / micros(parsing))
  best.memoryShare = most / bytes.length
  const reading = process.cpuUsage()
  const file = openFile(bytes)
  let movements = 0
  for (const item of readItems(file, verifyFile(file))) if (item.entity === 'Transactions' && 'wire' in item) movements += 1
  best.read = Math.max(best.read, bytes.length / micros(reading))
  best.movements = movements
}
process.stdout.write(`${JSON.stringify(best)}\n`)

function micros(since: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(since)
  return user + system
}
