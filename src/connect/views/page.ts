import type { FastifyReply } from 'fastify'
import type { Widget } from '../../connectors/contract/authorization.ts'
import { type Html, html } from '../../model/texts/html.ts'
import { safeDisplayName } from '../../model/values/display-names.ts'
import type { Assets, ScriptName } from '../assets/assets.ts'
import { type Branding, coloursPath, requesterLogo, requesterLogoPath, requesterName } from '../branding/branding.ts'
import { monogramPath } from '../branding/logos.ts'
import { setPageHeaders } from '../http/headers.ts'
import { glueScript, setWidgetHeaders } from '../http/widget-headers.ts'
import { zoneNote } from '../texts/dates.ts'
import { otherLocale } from '../texts/locale.ts'
import { pathTo, type Visit, type Visitor } from '../visit/visitor.ts'

type Step = 'consent' | 'bank' | 'connect' | 'done'

export interface Page {
  title: string
  body: Html
  step?: Step
  /** Path of this page, or an equivalent one, for switching the language. */
  address: string
  status?: number
  /** The page shows dates or times, in the owner's zone. */
  isDated?: boolean
  /** Progressive enhancement; the page works without it. */
  script?: Exclude<ScriptName, 'widget' | 'frame' | 'zone'>
  /** Widget shown by the page: the only kind of page that runs third-party scripts. */
  widget?: Widget
  /** What the page means for the page around its frame; by itself `opened`, once agreed `agreed`. */
  outcome?: { event: 'left' | 'failed' | 'connected'; detail: Record<string, unknown> }
  /** The browser is forwarded to this URL at once. */
  forwardTo?: string
}

export interface Sender {
  assets: Assets
  isSecure: boolean
}

export function sendPage(reply: FastifyReply, sender: Sender, visitor: Visitor, page: Page): FastifyReply {
  const hasScript = page.script !== undefined || page.isDated === true || hasFrameScript(visitor)
  setPageHeaders(reply, { isSecure: sender.isSecure, hasScript, frameOrigins: frameOriginsOf(visitor) })
  if (page.widget) setWidgetHeaders(reply, page.widget)
  return reply
    .code(page.status ?? 200)
    .type('text/html; charset=utf-8')
    .send(renderPage(sender.assets, visitor, page).markup)
}

/** Whose pages may hold a page in a frame: the instance's, and only those of its link's owner; none at top level. */
function frameOriginsOf({ isFramed, visit }: Visitor): readonly string[] {
  if (!isFramed || visit === null || visit.open.link.parentId !== null) return []
  return visit.open.pages.frameOrigins
}

/** Whether the page is in a frame, or in the window that one opened. */
function hasFrameScript(visitor: Visitor): boolean {
  return visitor.visit !== null && (frameOriginsOf(visitor).length > 0 || (visitor.returnsTo === 'window' && !visitor.isFramed))
}

/** What the frame's script tells the page around it, and to whom. */
function frameData(visitor: Visitor, page: Page): Html | null {
  const origins = frameOriginsOf(visitor)
  if (origins.length === 0) return null
  const { event, detail } = page.outcome ?? { event: visitor.visit?.agreed ? 'agreed' : 'opened', detail: {} }
  return html` data-frame-event="${event}" data-frame-detail="${JSON.stringify(detail)}" data-frame-origins="${origins.join(' ')}"`
}

function renderPage(assets: Assets, visitor: Visitor, page: Page): Html {
  const { visit, owner, locale, zone, texts } = visitor
  const face = visit?.open ?? owner
  const other = otherLocale(locale)
  const separator = page.address.includes('?') ? '&' : '?'
  return html`<!doctype html>
<html lang="${locale}" data-zone="${zone}"${page.isDated && html` data-dated`}${frameData(visitor, page)}>
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<meta name="color-scheme" content="light dark">
${page.isDated && html`<script src="${assets.scriptPaths.zone}"></script>`}
${page.forwardTo !== undefined && html`<meta http-equiv="refresh" content="0;url=${page.forwardTo}">`}
<title>${page.title}</title>
<link rel="stylesheet" href="${assets.stylePath}">
${face && coloursLink(face)}
<link rel="icon" href="${face ? requesterLogoPath(face) : monogramPath('')}">
${page.script && html`<script src="${assets.scriptPaths[page.script]}" defer></script>`}
${hasFrameScript(visitor) && html`<script type="module" src="${assets.scriptPaths.frame}"></script>`}
${page.widget && html`${glueScript(page.widget)}<script src="${assets.scriptPaths.widget}" defer></script>`}
</head>
<body>
<div class="frame">
<header>
<p class="brand">${face && html`${requesterLogo(face, 32)} ${safeDisplayName(requesterName(face))}`}</p>
<a class="language" href="${page.address}${separator}lang=${other}" hreflang="${other}" lang="${other}">${texts.layout.otherLanguage}</a>
</header>
<main>
${visit?.open.service.environment === 'sandbox' && html`<p class="sandbox">${texts.layout.sandbox(visit.source)}</p>`}
${visit && page.step && renderSteps(visitor, visit, page.step)}
${page.body}
${page.isDated && zoneNote(visitor)}
</main>
<footer class="foot"><a href="${pathTo(visit, '/connect/accessibility')}"${visitor.isFramed && html` target="_blank"`}>${texts.accessibility.link}</a></footer>
</div>
</body>
</html>
`
}

function coloursLink(open: Branding): Html | null {
  const path = coloursPath(open)
  return path === null ? null : html`<link rel="stylesheet" href="${path}">`
}

/** Heading of a page. It takes the focus, so that a screen reader starts there. */
export function heading(title: string): Html {
  return html`<h1 tabindex="-1" autofocus>${title}</h1>`
}

/** Whether the owner chooses a bank in our directory before going to the source. */
export function choosesBank(visit: Visit): boolean {
  const { source, institutionId } = visit.open.service
  return source.description.hasInstitutions === true && institutionId === null
}

/** Path on which an owner continues, depending on the consent. */
export function resumePath(visit: Visit): string {
  if (!visit.agreed) return pathTo(visit, visit.open.link.parentId === null ? '/connect/consent' : '/connect/helping')
  return pathTo(visit, choosesBank(visit) ? '/connect/institutions' : '/connect/source')
}

function renderSteps(visitor: Visitor, visit: Visit, current: Step): Html {
  const { texts } = visitor
  const steps: Step[] = choosesBank(visit) ? ['consent', 'bank', 'connect', 'done'] : ['consent', 'connect', 'done']
  const reached = steps.indexOf(current)
  return html`<ol class="steps" aria-label="${texts.layout.steps}">
${steps.map((step, index) => {
  if (index === reached) return html`<li class="reached" aria-current="step"><span>${texts.layout.stepNames[step]}</span></li>`
  const note = html` <span class="unseen">(${texts.layout.stepDone})</span>`
  return html`<li${index < reached && html` class="reached"`}><span>${texts.layout.stepNames[step]}${index < reached && note}</span></li>`
})}
</ol>`
}
