import { PROFILE_OPTION } from '../client/profile-option.ts'
import { defineCommand, UsageError, type Values } from '../command/command.ts'

/** Options of the command, with their names in the API. */
const OPTIONS = { language: 'Language', purpose: 'Purpose', 'expires-in': 'ExpiresIn', 'return-url': 'ReturnUrl' } as const

export const link = defineCommand({
  name: 'link',
  summary: 'makes a connection link for a business owner',
  description: [
    'Prints the link, and on a terminal its QR code, for the owner to scan. With --wait the command goes on until the owner has connected and data can be read; exit code 1 when the connection is at fault then. COMPANY is an id, an external id or a name; SERVICE is an id, a name or the beginning of one.',
    'Needs the scopes links:write, companies:read and connections:read.',
  ],
  arguments: [
    { name: 'COMPANY', summary: 'the company', isOptional: true },
    { name: 'SERVICE', summary: 'what to connect it to, such as "QuickBooks Online"', isOptional: true },
  ],
  options: {
    services: { summary: 'lists the services instead' },
    wait: { summary: 'waits until the owner has connected' },
    qr: { summary: 'prints the QR code also where the output is no terminal' },
    'no-qr': { summary: 'prints the link only' },
    language: { value: 'en|fr', summary: 'in which the pages begin; the browser’s when left out' },
    purpose: { value: 'KEY', summary: 'one of the purposes of the instance' },
    'expires-in': { value: 'HOURS', summary: 'how long the link can be opened; 168 when left out' },
    'return-url': { value: 'URL', summary: 'where the owner may go back to in the end' },
    ...PROFILE_OPTION,
  },
  examples: [
    { line: 'countinghouse link --services', summary: 'what a company can be connected to' },
    { line: 'countinghouse link "Maple Bakery" "QuickBooks Online" --wait', summary: 'until its books can be read' },
    { line: 'countinghouse link "Maple Bakery" plaid --language fr --no-qr', summary: 'the link only' },
  ],
  run: async (values, context) => {
    const [company, name] = [values.argument(0), values.argument(1)]
    if (values.flag('services') && company !== null) throw new UsageError('--services takes no arguments')
    if (!values.flag('services') && company === null) throw new UsageError('COMPANY is missing: the company')
    if (!values.flag('services') && name === null) throw new UsageError('SERVICE is missing; countinghouse link --services lists them')
    const { openApi } = await import('../client/open-api.ts')
    const { connectionsBefore, connectionsOf, issueLink, listServices, toQr } = await import('../client/link.ts')
    const signal = values.flag('wait') ? context.stopSignal() : null
    const api = await openApi(values, context, signal)
    if (company === null || name === null) return await listServices(api)
    const { getCompany, getService } = await import('../client/find.ts')
    const { id } = await getCompany(api, company)
    const service = await getService(api, name)
    const before = signal ? await connectionsBefore(api, id, service) : null
    const address = await issueLink(api, id, service, toQuery(values))
    const hasQr = !values.flag('no-qr') && !values.isJson && (context.isTerminal || values.flag('qr'))
    const text = hasQr ? `${toQr(address, context.isTerminal)}\n${address}` : address
    const document = { link: address, companyId: id, serviceId: service.id }
    if (signal === null || before === null) return { document, text }
    // With --json the link is printed first, as a document of its own, because it has to be opened.
    context.print(values.isJson ? JSON.stringify(document) : text)
    const { watch } = await import('../client/connections.ts')
    const progress = { signal, say: context.say, progress: context.progress }
    return await watch(api, id, progress, {
      clauses: connectionsOf(service),
      isWanted: ({ sessionId, lastUpdatedOn }) => !before.has(`${sessionId} ${lastUpdatedOn}`),
    })
  },
})

function toQuery(values: Values<keyof typeof OPTIONS>): Record<string, string> {
  const given: Record<string, string> = {}
  for (const option of ['language', 'purpose', 'expires-in', 'return-url'] as const) {
    const value = values.text(option)
    if (value !== null) given[OPTIONS[option]] = value
  }
  return given
}
