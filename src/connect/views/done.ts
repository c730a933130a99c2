import type { Locale } from '../../model/text.ts'
import { type Html, html } from '../html.ts'
import { logoPath, monogramPath } from '../logos.ts'
import { shownName } from '../names.ts'
import { pathTo, type Visit, type Visitor } from '../visitor.ts'
import { heading, type Page } from './page.ts'

export type Progress = 'waiting' | 'reading' | 'ready' | 'retrying' | 'renewal' | 'ended' | 'paused'

/** One connection as the owner sees it. */
export interface ConnectionView {
  serviceName: string
  entityName: string
  /** The bank for an aggregator's child, null otherwise. */
  institutionId: string | null
  connectorKey: string
  progress: Progress
  connectedAt: Date | null
  readyAt: Date | null
  accounts: number
  transactions: number
}

export interface Result {
  connections: readonly ConnectionView[]
  /** The owner has come to a link that was used up before. */
  isAgain: boolean
  /** Shows the same again. */
  address: string
}

/** What was connected and how far the first reading is. */
export function donePage(visitor: Visitor, visit: Visit, { connections, isAgain, address }: Result): Page {
  const texts = visitor.texts.done
  const isMoving = connections.some(({ progress }) => progress === 'waiting' || progress === 'reading')
  const title = isAgain ? texts.alreadyTitle : texts.title
  return {
    title,
    step: 'done',
    address,
    hasScript: isMoving,
    body: html`${!isAgain && html`<p class="tick" aria-hidden="true"></p>`}
${heading(title)}
<p>${isAgain ? texts.alreadyText(visit.asker, visit.service) : texts.text(visit.asker)}</p>
${connections.length > 0 && renderConnections(visitor, connections, address, isMoving)}
<p class="small">${texts.another(visit.asker)} ${texts.changeMind(visit.asker)}</p>`,
  }
}

function renderConnections(visitor: Visitor, connections: readonly ConnectionView[], address: string, isMoving: boolean): Html {
  const texts = visitor.texts.done
  return html`<section id="progress" aria-live="polite"${isMoving && html` data-moving`}>
<h2 class="unseen">${texts.connections}</h2>
<ul class="connections">${connections.map((connection) => renderConnection(visitor, connection))}</ul>
${isMoving && html`<p class="small">${texts.duration} <a href="${address}" class="update">${texts.update}</a></p>`}
</section>`
}

function renderConnection(visitor: Visitor, connection: ConnectionView): Html {
  const texts = visitor.texts.done
  const { progress, accounts, transactions, connectedAt, readyAt } = connection
  const logo = connection.institutionId === null ? logoPath(connection.connectorKey) : monogramPath(connection.serviceName)
  const counts = [texts.accounts(accounts), ...(transactions > 0 ? [texts.transactions(transactions)] : [])]
  return html`<li><img src="${logo}" alt="" width="44" height="44"><div>
<h3>${shownName(connection.serviceName)}</h3>
${connection.entityName !== '' && connection.entityName !== connection.serviceName && html`<p class="entity">${shownName(connection.entityName)}</p>`}
<p><span class="unseen">${texts.status}: </span><span class="state ${progress}">${texts.states[progress]}</span>${progress === 'ready' && accounts > 0 && html` <span class="counts">${counts.join(' · ')}</span>`}</p>
<p class="small">${connectedAt && html`${texts.connectedAt} ${renderTime(visitor.locale, connectedAt)}`}${readyAt && html` · ${texts.readyAt} ${renderTime(visitor.locale, readyAt)}`}</p>
</div></li>
`
}

/** In UTC; the script puts it into the clock of the browser. */
function renderTime(locale: Locale, at: Date): Html {
  const text = new Intl.DateTimeFormat(locale === 'en' ? 'en-CA' : locale, { timeStyle: 'short', timeZone: 'UTC' }).format(at)
  return html`<time datetime="${at.toISOString()}">${text} UTC</time>`
}

export function donePath(visit: Visit, connectionIds: readonly string[], isAgain: boolean): string {
  return pathTo(visit, '/connect/done', {
    connections: connectionIds.length > 0 ? connectionIds.join('.') : undefined,
    again: isAgain ? 'yes' : undefined,
  })
}
