import { type CommandContext, type CommandResult, defineCommand, UsageError, type Values } from '../command/command.ts'

type Option = 'name' | 'kind' | 'admin' | 'admin-name' | 'reason' | 'to'
type Action = (values: Values<Option>, context: CommandContext) => Promise<CommandResult>

/** As in the API. */
const MAX_NAME = 200
const MAX_REASON = 300

/** The actions, which are loaded when one is run. */
const ACTIONS: Readonly<Record<string, Action>> = {
  list: async (_values, context) => (await import('../deployment/instance-actions.ts')).list(context),
  create: async (values, context) => {
    const email = wanted(values, 'admin', 'the e-mail address of its first administrator')
    const kind = values.text('kind') ?? 'live'
    if (kind !== 'test' && kind !== 'live') throw new UsageError(`--kind: ${JSON.stringify(kind)} is neither test nor live`)
    const name = target(values, 'the name of the new instance')
    const admin = { email, name: values.text('admin-name')?.trim() || email.trim() }
    bounded('NAME', name, MAX_NAME)
    bounded('--admin-name', admin.name, MAX_NAME)
    const { checkEmail } = await import('../deployment/email-option.ts')
    checkEmail('admin', email)
    const { create } = await import('../deployment/instance-actions.ts')
    return await create(context, { name, kind, admin })
  },
  rename: async (values, context) => {
    const name = bounded('--name', wanted(values, 'name', 'the new name'), MAX_NAME)
    return (await import('../deployment/instance-actions.ts')).rename(context, target(values), name)
  },
  suspend: async (values, context) => {
    const reason = bounded('--reason', wanted(values, 'reason', 'why'), MAX_REASON)
    return (await import('../deployment/instance-actions.ts')).suspend(context, target(values), reason)
  },
  export: async (values, context) => {
    const to = wanted(values, 'to', 'the file to write')
    return (await import('../deployment/instance-data.ts')).exportTo(context, target(values), to)
  },
  erase: async (values, context) => {
    const name = wanted(values, 'name', 'the name of the instance once more, because nothing brings its data back')
    return (await import('../deployment/instance-data.ts')).erase(context, target(values), name)
  },
  erasures: async (_values, context) => (await import('../deployment/instance-data.ts')).listAll(context),
  'allow-passwords': async (values, context) => (await import('../deployment/instance-actions.ts')).allowPasswords(context, target(values)),
  resume: async (values, context) => (await import('../deployment/instance-actions.ts')).resume(context, target(values)),
}

export const instance = defineCommand({
  name: 'instance',
  summary: 'lists, creates, renames, suspends, resumes, exports and erases the instances of the deployment',
  description: [
    'An instance is one customer of the deployment, apart from all others. ACTION is one of: list; create NAME with --admin, which prints a one-time link for its first administrator; rename INSTANCE with --name; suspend INSTANCE with --reason; resume INSTANCE; export INSTANCE with --to; erase INSTANCE with --name; erasures; allow-passwords INSTANCE. INSTANCE is an id, or a name that only one instance has, in any letter case.',
    'The users of a suspended instance get 403 within a second, and owners a page that says so; nothing is read or sent, and nothing is lost. Revocations at sources and deletions that owners were promised go on.',
    'An export is a file of gzipped JSON lines with all data at one point in time, without passwords, tokens and keys. An erasure suspends the instance, revokes access at its sources and deletes every row; the service does it while it runs, and erasures lists them with their signed receipts. Backups from before hold the data until they are deleted.',
    'An instance that requires its identity provider lets nobody in by a password. allow-passwords ends that, for when the provider cannot be used; it stays set.',
    'Operators do the same at BASE_URL/operator and by the API. On the embedded PostgreSQL it works while the service runs, too.',
  ],
  arguments: [
    { name: 'ACTION', summary: Object.keys(ACTIONS).join(', ') },
    { name: 'INSTANCE', summary: 'the instance, by id or name', isOptional: true },
  ],
  options: {
    name: { value: 'NAME', summary: 'the new name, for rename; the present name, for erase' },
    to: { value: 'FILE', summary: 'the file to write, for export; it must not exist' },
    kind: { value: 'test|live', summary: 'test instances may use the simulators; live when left out' },
    admin: { value: 'ADDRESS', summary: 'the first administrator, for create' },
    reason: { value: 'TEXT', summary: 'why, for suspend' },
    'admin-name': { value: 'NAME', summary: 'name of the first administrator; the address when left out' },
  },
  examples: [
    { line: 'countinghouse instance list', summary: 'all instances' },
    { line: 'countinghouse instance create "Maple Lending" --admin avery@example.com', summary: 'a live instance' },
    { line: 'countinghouse instance create Rehearsal --kind test --admin avery@example.org', summary: 'an instance for tests' },
    { line: 'countinghouse instance rename Rehearsal --name "Maple rehearsal"', summary: 'another name' },
    { line: 'countinghouse instance suspend "Maple Lending" --reason "Contract has ended"', summary: 'until it is resumed' },
    { line: 'countinghouse instance resume "Maple Lending"', summary: 'as if nothing had been' },
    { line: 'countinghouse instance allow-passwords "Maple Lending"', summary: 'its identity provider is no longer required' },
    { line: 'countinghouse instance export "Maple Lending" --to maple.jsonl.gz', summary: 'all of its data' },
    { line: 'countinghouse instance erase "Maple Lending" --name "Maple Lending"', summary: 'for good' },
  ],
  run: async (values, context) => {
    const name = values.argument(0) ?? ''
    const action = Object.hasOwn(ACTIONS, name) ? ACTIONS[name] : undefined
    if (!action) throw new UsageError(`${JSON.stringify(name)} is no action; there are: ${Object.keys(ACTIONS).join(', ')}`)
    return await action(values, context)
  },
})

/** Throws `UsageError` beyond the bounds of the API. */
function bounded(option: string, text: string, max: number): string {
  if ([...text].length > max) throw new UsageError(`${option} has more than ${max} characters`)
  return text
}

function target(values: Values<Option>, meaning = 'the instance, by id or name'): string {
  const text = values.argument(1)?.trim()
  if (!text) throw new UsageError(`INSTANCE is missing: ${meaning}`)
  return text
}

function wanted(values: Values<Option>, option: Option, meaning: string): string {
  const text = values.text(option)?.trim()
  if (!text) throw new UsageError(`--${option} is missing: ${meaning}`)
  return text
}
