import { type Html, html } from '../../model/texts/html.ts'
import { safeDisplayName } from '../../model/values/display-names.ts'
import type { FileNote } from '../../sync/authorize/file-notes.ts'
import { logoPath, monogramPath } from '../branding/logos.ts'
import { timeElement } from '../texts/dates.ts'
import { type Localization, pathTo, type Visit, type Visitor } from '../visit/visitor.ts'
import { backLink } from './back-link.ts'
import { renderFileNotes } from './file-notes.ts'
import { choosesBank, heading, type Page } from './page.ts'
import { remindersForm } from './reminders.ts'

export type Progress = 'waiting' | 'reading' | 'ready' | 'retrying' | 'renewal' | 'ended' | 'paused'

/** Connection as shown to the owner. */
export interface ConnectionView {
  id: string
  serviceName: string
  entityName: string
  /** The bank of a child service, otherwise null. */
  institutionId: string | null
  connectorKey: string
  progress: Progress
  connectedAt: Date | null
  readingSince: Date | null
  readyAt: Date | null
  accounts: number
  transactions: number
  /** Records read so far by the running run. */
  readSoFar: number
  /** Parts of the uploaded files that were not imported. */
  notes: readonly FileNote[]
}

export interface Result {
  connections: readonly ConnectionView[]
  /** The link was already used up. */
  isAgain: boolean
  /** Notices about banks that are connected in another way too. */
  heldBanks: readonly Html[]
  /** Path of this page. */
  address: string
  /** Path of the owner page; null for helpers. */
  ownerPagePath: string | null
  /** Whether reminders by mail are possible. */
  mayBeReminded: boolean
}

/** Progress of one connection as text, for the page and its script. */
export interface ProgressWords {
  id: string
  state: Progress
  stateText: string
  /** Counts of records read so far; empty while unknown. */
  counts: string
  times: { label: string; at: Date }[]
}

export function describeProgress(visitor: Localization, connection: ConnectionView): ProgressWords {
  const { done, progress: words } = visitor.texts
  const { id, progress, accounts, transactions, readSoFar } = connection
  const ready = [done.accounts(accounts), ...(transactions > 0 ? [done.transactions(transactions)] : [])].join(' · ')
  const soFar = progress === 'reading' && readSoFar > 0 ? words.soFar(readSoFar) : ''
  const times = [
    { label: words.connectedAt, at: connection.connectedAt },
    { label: words.readingSince, at: progress === 'reading' ? connection.readingSince : null },
    { label: words.readyAt, at: connection.readyAt },
  ]
  return {
    id,
    state: progress,
    stateText: done.states[progress],
    counts: progress === 'ready' && accounts > 0 ? ready : soFar,
    times: times.flatMap(({ label, at }) => (at ? [{ label, at }] : [])),
  }
}

export function isMoving(connections: readonly ConnectionView[]): boolean {
  return connections.some(({ progress }) => progress === 'waiting' || progress === 'reading')
}

/** Result page: what was connected, and the progress of the first read. */
export function donePage(
  visitor: Visitor,
  visit: Visit,
  { connections, isAgain, heldBanks, address, ownerPagePath: yours, mayBeReminded }: Result,
): Page {
  const texts = visitor.texts.done
  const moves = isMoving(connections)
  const title = isAgain ? texts.alreadyTitle : texts.title
  const back = backLink(visitor, visit, 'connected')
  return {
    title,
    step: 'done',
    address,
    ...(moves ? { script: 'progress' } : {}),
    outcome: { event: 'connected', detail: { connectionIds: connections.map(({ id }) => id) } },
    body: html`${!isAgain && html`<p class="tick" aria-hidden="true"></p>`}
${heading(title)}
<p>${isAgain ? texts.alreadyText(visit.requester, visit.service) : texts.text(visit.requester)}</p>
${connections.length > 0 && renderConnections(visitor, connections, address, moves)}
${heldBanks}
${renderFileNotes(
  visitor,
  connections.flatMap(({ notes }) => notes),
)}
${visitor.returnsTo === 'window' && !visitor.isFramed && html`<p>${visitor.texts.frame.closeText}</p>`}
${back && html`<p class="actions">${back}</p>`}
${yours !== null && choosesBank(visit) && renderAnother(visitor, visit)}
${yours !== null && html`<p><a href="${yours}"${visitor.isFramed && html` target="_blank"`}>${visitor.texts.progress.yours}</a></p><p class="small">${visitor.texts.progress.yoursText}</p>`}
<p class="small">${texts.another(visit.requester)}${yours === null && html` ${texts.changeMind(visit.requester)}`}</p>
${mayBeReminded && remindersForm(visitor, visit, address)}`,
  }
}

function renderAnother(visitor: Visitor, visit: Visit): Html {
  const texts = visitor.texts.progress
  return html`<form method="post" action="${pathTo(visit, '/connect/another')}" class="actions">
<input type="hidden" name="form" value="${visit.formToken}">
<button class="quiet">${texts.anotherBank}</button>
</form>
<p class="small">${texts.anotherText}</p>`
}

function renderConnections(visitor: Visitor, connections: readonly ConnectionView[], address: string, moves: boolean): Html {
  const texts = visitor.texts.done
  const news = address.replace('/connect/done', '/connect/done/progress')
  return html`<section id="progress"${moves && html` data-news="${news}"`}>
<h2 class="unseen">${texts.connections}</h2>
<ul class="connections">${connections.map((connection) => renderConnection(visitor, connection))}</ul>
<p id="news" class="unseen" role="status" aria-live="polite"></p>
${moves && html`<p class="small" id="moving">${texts.duration} <a href="${address}" class="update">${texts.update}</a></p>`}
</section>`
}

function renderConnection(visitor: Visitor, connection: ConnectionView): Html {
  const { id, state, stateText, counts, times } = describeProgress(visitor, connection)
  const logo = connection.institutionId === null ? logoPath(connection.connectorKey) : monogramPath(connection.serviceName)
  return html`<li data-connection="${id}"><img src="${logo}" alt="" width="44" height="44"><div>
<h3>${safeDisplayName(connection.serviceName)}</h3>
${connection.entityName !== '' && connection.entityName !== connection.serviceName && html`<p class="entity">${safeDisplayName(connection.entityName)}</p>`}
<p><span class="unseen">${visitor.texts.done.status} </span><span class="state ${state}">${stateText}</span> <span class="counts">${counts}</span></p>
<p class="small times">${times.map(({ label, at }, index) => html`<span>${index > 0 && ' · '}${label} ${timeElement(at, visitor)}</span>`)}</p>
</div></li>
`
}

export function donePath(visit: Visit, connectionIds: readonly string[], isAgain: boolean): string {
  return pathTo(visit, '/connect/done', {
    connections: connectionIds.length > 0 ? connectionIds.join('.') : undefined,
    again: isAgain ? 'yes' : undefined,
  })
}
