import { PROFILE_OPTION } from '../client/profile-option.ts'
import { defineCommand, UsageError } from '../command/command.ts'

const ENTITIES = ['Accounts', 'Transactions'] as const

export const changes = defineCommand({
  name: 'changes',
  summary: 'prints changed and deleted records of all companies, from a cursor on',
  description: [
    'One line of JSON per change, as the API gives it. Changes of one company at one service come in the order in which they were committed. Without a cursor it begins with everything that is published. With --cursor-file the cursor is kept in a file, so that the next call goes on where this one stood: a page that was written when the process was killed comes again, none is left out. Without, the cursor is printed on standard error, also after a failure.',
    'A cursor belongs to its --company and --entity. Needs the scope data:read, and companies:read for --company.',
  ],
  options: {
    'cursor-file': { value: 'FILE', summary: 'where the cursor is kept; made at the first call' },
    cursor: { value: 'CURSOR', summary: 'where to begin, in place of a file' },
    company: { value: 'COMPANY', summary: 'id, external id or name; all companies when left out' },
    entity: { value: ENTITIES.join('|'), summary: 'both when left out' },
    follow: { summary: 'goes on until Ctrl-C' },
    ...PROFILE_OPTION,
  },
  examples: [
    { line: 'countinghouse changes --cursor-file cursor.txt >> changes.ndjson', summary: 'what has changed since the last call' },
    { line: 'countinghouse changes --cursor-file cursor.txt --follow', summary: 'as it happens' },
  ],
  run: async (values, context) => {
    const [cursor, cursorFile, company] = [values.text('cursor'), values.text('cursor-file'), values.text('company')]
    if (cursor !== null && cursorFile !== null) throw new UsageError('--cursor and --cursor-file exclude each other')
    const entity = values.text('entity')
    if (entity !== null && !ENTITIES.some((known) => known === entity))
      throw new UsageError(`--entity: ${JSON.stringify(entity)} is neither ${ENTITIES.join(' nor ')}`)
    const { openApi } = await import('../client/open-api.ts')
    const { getCompany } = await import('../client/find.ts')
    const { printChanges } = await import('../client/changes.ts')
    const signal = context.stopSignal()
    const api = await openApi(values, context, signal)
    const companyId = company === null ? null : (await getCompany(api, company)).id
    const wanted = { companyId, entity, cursor, cursorFile, isFollowing: values.flag('follow') }
    return await printChanges(api, wanted, { signal, say: context.say, progress: context.progress })
  },
})
