import { type Html, html } from '../../model/texts/html.ts'
import { safeDisplayName } from '../../model/values/display-names.ts'
import { logoPath, monogramPath } from '../branding/logos.ts'
import { pathTo, type Visit, type Visitor } from '../visit/visitor.ts'
import { handOffOffer } from './hand-off.ts'
import { choosesBank, heading, type Page } from './page.ts'
import { type ChosenBank, sourcePath } from './source.ts'

/**
 * Step at the source, in a frame: the source opens in a top-level window, where the owner sees its address. The form
 * carries the link's token, because the window does not have the frame's cookies.
 */
export function outsidePage(visitor: Visitor, visit: Visit, bank: ChosenBank | null, notice: Html | null): Page {
  const texts = visitor.texts.frame
  const { source } = visit
  const title = bank ? texts.titleBank(safeDisplayName(bank.name)) : texts.title(source)
  const logo = bank ? monogramPath(bank.name) : logoPath(visit.open.service.source.description.key)
  const query = choosesBank(visit) ? (bank ? { institution: bank.id } : { choose: 'there' }) : {}
  return {
    title,
    step: 'connect',
    address: sourcePath(visit, bank),
    ...(notice ? { isDated: true } : {}),
    body: html`<p class="pair"><img src="${logo}" alt="" width="56" height="56"></p>
${heading(title)}
${notice}
<p>${texts.text(source)}</p>
<p>${visitor.texts.redirect.password(visit.requester)}</p>
${bank && choosesBank(visit) && html`<p><a href="${pathTo(visit, '/connect/institutions')}">${visitor.texts.redirect.change}</a></p>`}
<form method="post" action="${pathTo(visit, '/connect/outside', query)}" id="outside" target="_blank">
<input type="hidden" name="form" value="${visit.formToken}">
<input type="hidden" name="token" value="${visit.token}">
<input type="hidden" name="back" value="window">
<p class="actions"><button>${texts.go(source)}</button></p>
<section id="blocked" class="notice" role="alert" hidden>
<h2>${texts.blockedTitle}</h2>
<p>${texts.blockedText}</p>
<p class="actions"><button formtarget="_top">${texts.blockedGo(source)}</button></p>
</section>
</form>
<p id="waiting" role="status" data-news="${pathTo(visit, '/connect/outside/progress')}" hidden>${texts.waiting}</p>
<p class="small"><a href="${pathTo(visit, '/connect/outside', query)}">${texts.finished}</a></p>
${handOffOffer(visitor, visit, bank?.id)}`,
  }
}
