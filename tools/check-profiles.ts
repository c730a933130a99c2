import { BankApiFaults, readProfileFiles } from '../src/connectors/bank-api/profile-files.ts'

const paths = process.argv.slice(2)
if (paths.length === 0) {
  process.stderr.write('Usage: npm run check-profiles -- <file.json> …\n')
  process.exitCode = 2
} else {
  try {
    for (const { key, accounts, transactions } of readProfileFiles(paths)) {
      process.stdout.write(`bank-api-${key}: fine; ${accounts.length} lists of accounts, ${transactions.length} of transactions\n`)
    }
  } catch (error) {
    if (!(error instanceof BankApiFaults)) throw error
    process.stderr.write(`${error.faults.join('\n')}\n`)
    process.exitCode = 1
  }
}
