import { PROFILE_OPTION } from '../client/profile-option.ts'
import { defineCommand, UsageError, type Values } from '../command/command.ts'

const CATEGORIES = ['Accounting', 'Banking'] as const
const ENTITIES = ['Accounts', 'Transactions'] as const
const FORMATS = ['ndjson', 'csv', 'parquet'] as const

type Option = 'company' | 'format' | 'to' | 'id' | 'keep' | 'profile'

export const exportData = defineCommand({
  name: 'export',
  summary: 'writes accounts or transactions of one company, or of all, to a file',
  description: [
    'The file holds what is published at the request: ndjson (one JSON document a line), csv or parquet, with exact decimals. Without --to it goes to standard output. A file that exists is not touched; while it is incomplete it is called FILE.ID.part.',
    'A download that breaks off is taken up again where it stood. After Ctrl-C or a failure, --id with the id that was printed takes up an export. The deployment’s own copy is deleted after the download, unless --keep or --id is given; it is kept for seven days otherwise.',
    'Needs the scope data:read, and companies:read for --company.',
  ],
  arguments: [
    { name: 'CATEGORY', summary: 'Accounting or Banking', isOptional: true, choices: CATEGORIES },
    { name: 'ENTITY', summary: 'Accounts or Transactions', isOptional: true, choices: ENTITIES },
  ],
  options: {
    company: { value: 'COMPANY', summary: 'id, external id or name; all companies when left out' },
    format: { value: 'ndjson|csv|parquet', summary: 'ndjson when left out' },
    to: { value: 'FILE', summary: 'the file to write; it must not exist' },
    id: { value: 'ID', summary: 'takes up this export, in place of CATEGORY and ENTITY' },
    keep: { summary: 'leaves the deployment’s copy where it is' },
    ...PROFILE_OPTION,
  },
  examples: [
    { line: 'countinghouse export Accounting Accounts --company "Maple Bakery"', summary: 'the chart of accounts, on standard output' },
    { line: 'countinghouse export Banking Transactions --format csv --to transactions.csv', summary: 'all companies' },
    { line: 'countinghouse export --id 3f0c7a52-0d0e-4a8b-9d5e-6b8a1f6f1c11 --to transactions.csv', summary: 'goes on' },
  ],
  run: async (values, context) => {
    const to = values.text('to')
    const id = values.text('id')
    if (values.isJson && to === null)
      throw new UsageError('--json needs --to: standard output cannot hold both the data and its description')
    const wanted = id === null ? readWanted(values) : null
    if (id !== null && (values.argument(0) ?? values.text('company') ?? values.text('format')) !== null)
      throw new UsageError('--id names an export; leave CATEGORY, ENTITY, --company and --format out')
    const { openApi } = await import('../client/open-api.ts')
    const { fetchExport, requestExport } = await import('../client/exports.ts')
    const { checkTarget } = await import('../client/download.ts')
    if (to !== null) checkTarget(to)
    const signal = context.stopSignal()
    const api = await openApi(values, context, signal)
    const exportId = wanted ? await requestExport(api, wanted, values.text('company')) : (id ?? '')
    const isDeleted = wanted !== null && !values.flag('keep')
    return await fetchExport(
      api,
      { id: exportId, to, isDeleted, profile: values.text('profile') },
      { signal, say: context.say, progress: context.progress },
    )
  },
})

function readWanted(values: Values<Option>) {
  return {
    category: oneOf('CATEGORY', CATEGORIES, values.argument(0)),
    entity: oneOf('ENTITY', ENTITIES, values.argument(1)),
    format: oneOf('--format', FORMATS, values.text('format') ?? 'ndjson'),
  }
}

function oneOf<const T extends string>(name: string, known: readonly T[], text: string | null): T {
  if (text === null) throw new UsageError(`${name} is missing: ${known.join(' or ')}`)
  const found = known.find((one) => one.toLowerCase() === text.toLowerCase())
  if (found === undefined) throw new UsageError(`${name}: ${JSON.stringify(text)} is neither ${known.join(' nor ')}`)
  return found
}
