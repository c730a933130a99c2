import { verifyWebhook } from '../../webhooks/verify.ts'
import type { CommandContext, CommandResult } from '../command/command.ts'
import { Stopped } from '../command/output.ts'
import { type Api, ApiFailure, fetchReasonOf } from './api.ts'
import { pollUntil } from './polling.ts'
import { findReceived, listReceived, type OpenReceiver, openReceiver, type ReceivedEvent } from './receiver.ts'
import { printable } from './table.ts'

const FORWARD_DEADLINE_MS = 15_000
/** Capacity of a receiver. */
const KEPT = 100
/** Hop-by-hop headers, which the next connection sets itself. */
const OF_A_CONNECTION = /^(host|connection|keep-alive|transfer-encoding|te|trailer|upgrade|expect|content-length|accept-encoding)$/

export interface Listening {
  event: string
  forwardTo: string | null
  /** Number of events after which it ends; null: at Ctrl-C. */
  count: number | null
  isJson: boolean
  signal: AbortSignal
}

type Terminal = Pick<CommandContext, 'env' | 'say' | 'print' | 'progress'>

/**
 * Prints and forwards events of one kind as they arrive. `closing` is the same API without the signal, so that the
 * receiver can be closed after Ctrl-C.
 */
export async function listen(api: Api, closing: Api, listening: Listening, terminal: Terminal): Promise<CommandResult> {
  const { event, forwardTo } = listening
  const receiver = await openReceiver(closing, terminal.env, event)
  terminal.say(`Listening for ${event} at ${api.address}. Ctrl-C ends.`)
  terminal.say(`Signing secret: ${receiver.secret}`)
  if (forwardTo !== null) terminal.say(`Events are forwarded to ${forwardTo} with their signature.`)
  let failed = 0
  try {
    failed = await receiveAll(api, receiver, listening, terminal)
  } catch (error) {
    if (error instanceof ApiFailure && error.status === 404)
      throw new Error('the receiver was deleted in the meantime; nothing more comes', { cause: error })
    if (!(error instanceof Stopped)) throw error
  } finally {
    await receiver.close().catch((error: unknown) => {
      terminal.say(`The receiver ${receiver.id} stays open: ${fetchReasonOf(error)}\nThe next countinghouse listen closes it.`)
    })
  }
  return { document: undefined, text: '', isFailure: failed > 0 }
}

/** Resolves with the number of events that were invalid or not accepted, once `count` have arrived. */
async function receiveAll(api: Api, receiver: OpenReceiver, listening: Listening, terminal: Terminal): Promise<number> {
  const { count, signal } = listening
  let known: ReadonlySet<string> = new Set()
  let newest: string | null = null
  const sum = { received: 0, failed: 0 }
  const poll = async () => {
    const ids = await listReceived(api, receiver.id)
    if (newest !== null && ids.length >= KEPT && !ids.includes(newest))
      terminal.say(
        'warning: more came at once than a receiver keeps; countinghouse missed some. GET /webhooks/deliveries lists all of them.',
      )
    for (const id of ids.filter((one) => !known.has(one))) {
      const event = await findReceived(api, receiver.id, id)
      newest = id
      known = new Set([...known, id])
      if (event === null) continue
      sum.received += 1
      if (!(await take(event, receiver.secret, listening, terminal))) sum.failed += 1
      if (sum.received === count) return sum.failed
    }
    known = new Set(ids)
    terminal.progress(`${sum.received} received`)
    return null
  }
  return await pollUntil({ signal, say: terminal.say }, poll)
}

/** Whether the event is genuine and, if it is forwarded, was accepted. */
async function take(event: ReceivedEvent, secret: string, { forwardTo, isJson, signal }: Listening, { print }: Terminal): Promise<boolean> {
  const { headers, body, receivedOn } = event
  // Measured at its arrival: an event is no replay because the deployment was unreachable for some minutes.
  const isGenuine = verifyWebhook(headers, body, secret, new Date(`${receivedOn.replace(/Z$/, '')}Z`))
  // Forged events are not forwarded.
  const forwarded = forwardTo === null || !isGenuine ? null : await forward(event, forwardTo, signal)
  if (isJson) print(JSON.stringify({ receivedOn, isGenuine, forwarded, headers, body: parse(body) }))
  else {
    const outcome =
      forwarded === null ? '' : `  ${forwardTo} ${forwarded.status === null ? forwarded.error : `answered ${forwarded.status}`}`
    print(printable(`${receivedOn}  ${isGenuine ? 'signature valid' : 'SIGNATURE NOT VALID'}  ${headers['webhook-id'] ?? ''}${outcome}`))
    print(JSON.stringify(parse(body), null, 2))
  }
  return isGenuine && (forwarded === null || forwarded.isAccepted)
}

interface Forwarded {
  status: number | null
  error: string | null
  isAccepted: boolean
}

async function forward({ headers, body }: ReceivedEvent, to: string, signal: AbortSignal): Promise<Forwarded> {
  const sent = Object.entries(headers).filter(([name]) => !OF_A_CONNECTION.test(name))
  try {
    const response = await fetch(to, {
      method: 'POST',
      redirect: 'manual',
      headers: Object.fromEntries(sent),
      body,
      signal: AbortSignal.any([signal, AbortSignal.timeout(FORWARD_DEADLINE_MS)]),
    })
    await response.body?.cancel()
    return { status: response.status, error: null, isAccepted: response.ok }
  } catch (error) {
    if (signal.aborted) throw signal.reason
    return { status: null, error: `cannot be reached: ${fetchReasonOf(error)}`, isAccepted: false }
  }
}

function parse(body: string): unknown {
  try {
    return JSON.parse(body)
  } catch {
    return body
  }
}
