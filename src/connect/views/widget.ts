import type { Widget } from '../../connectors/contract/authorization.ts'
import { html } from '../../model/texts/html.ts'
import { type Localization, pathTo, type Visit } from '../visit/visitor.ts'
import { heading, type Page } from './page.ts'
import { type ChosenBank, sourcePath } from './source.ts'

/**
 * Widget page, common to all providers: the provider's own script opens its window, and the result is posted to our
 * callback as a form of this link. `widget.js` shows one note at a time.
 */
export function widgetPage(
  visitor: Localization,
  visit: Visit,
  bank: ChosenBank | null,
  { widget, state }: { widget: Widget; state: string },
): Page {
  const texts = visitor.texts.widget
  const { source } = visit
  const back = sourcePath(visit, bank)
  return {
    title: texts.title(source),
    step: 'connect',
    address: back,
    widget,
    body: html`${heading(texts.title(source))}
<p>${texts.text(source)}</p>
<div role="status"><p data-widget-note="opening" hidden>${texts.opening(source)}</p><p data-widget-note="finishing" hidden>${texts.finishing}</p></div>
<section data-widget-note="failed" hidden>
<h2 id="widget-failed" tabindex="-1">${texts.failedTitle(source)}</h2>
<p>${texts.failedText(source)}</p>
</section>
<noscript><div class="notice"><p>${texts.noScript(source)}</p></div></noscript>
<div id="widget-place"></div>
<form method="post" action="${pathTo(visit, '/connect/callback')}" id="widget-result" hidden data-script="${widget.script ?? ''}" data-params="${JSON.stringify(widget.params)}">
<input type="hidden" name="form" value="${visit.formToken}">
<input type="hidden" name="state" value="${state}">
</form>
<p class="actions"><a class="button quiet" id="widget-back" href="${back}">${texts.back}</a></p>`,
  }
}
