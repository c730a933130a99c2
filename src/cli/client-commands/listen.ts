import { PROFILE_OPTION } from '../client/profile-option.ts'
import { defineCommand, UsageError } from '../command/command.ts'

const MAX_COUNT = 1_000_000

export const listen = defineCommand({
  name: 'listen',
  summary: 'receives events without a tunnel, verifies them, and passes them on to a local program',
  description: [
    'Opens a receiver at the deployment, with a subscription of its own, and fetches what comes there every second: nothing has to reach this machine from outside. The signature of each event is verified and the event printed; with --json one line of JSON per event. The signing secret is printed at the start.',
    'With --forward-to each event is sent on with its own signature headers and bytes, so that the program verifies it with the same secret; one that is not valid is not sent on. An event that the program refuses is not sent again.',
    'Ctrl-C closes the receiver, and the exit code is 0. While the deployment is away it is asked again; at most 100 events wait meanwhile. Exit code 1 after --count when an event was not valid or not accepted. Errors, suspensions and disconnections come with every kind of event. Needs the scopes webhooks:read and webhooks:write.',
  ],
  options: {
    event: { value: 'NAME', summary: 'kind of event; NormalizedData when left out' },
    'forward-to': { value: 'URL', summary: 'where to send each event, such as http://127.0.0.1:3000/webhooks' },
    count: { value: 'N', summary: 'ends after so many events' },
    ...PROFILE_OPTION,
  },
  examples: [
    { line: 'countinghouse listen', summary: 'prints what happens' },
    { line: 'countinghouse listen --forward-to http://127.0.0.1:3000/webhooks', summary: 'tries a handler' },
    { line: 'countinghouse listen --event AccountsChanged --count 1 --json', summary: 'the next one, for a script' },
  ],
  run: async (values, context) => {
    const forwardTo = values.text('forward-to')
    if (forwardTo !== null && !/^https?:$/.test(URL.parse(forwardTo)?.protocol ?? ''))
      throw new UsageError(`--forward-to: ${JSON.stringify(forwardTo)} is no http address`)
    const count = values.text('count')
    if (count !== null && !(/^[1-9]\d*$/.test(count) && Number(count) <= MAX_COUNT))
      throw new UsageError(`--count: ${JSON.stringify(count)} is not a whole number from 1 to ${MAX_COUNT}`)
    const { openApi } = await import('../client/open-api.ts')
    const { listen: run } = await import('../client/listen.ts')
    const signal = context.stopSignal()
    const [api, closing] = [await openApi(values, context, signal), await openApi(values, context)]
    const event = values.text('event') ?? 'NormalizedData'
    return await run(
      api,
      closing,
      { event, forwardTo, count: count === null ? null : Number(count), isJson: values.isJson, signal },
      context,
    )
  },
})
