import type { Page } from 'playwright-core'

type Locale = 'en-CA' | 'fr-CA'

/**
 * Part of what the browser passes to screen readers.
 * Source: https://chromedevtools.github.io/devtools-protocol/tot/Accessibility/
 */
interface Node {
  nodeId: string
  ignored: boolean
  role?: Text | undefined
  name?: Text | undefined
  description?: Text | undefined
  value?: { value?: unknown } | undefined
  properties?: { name: string; value: { value?: unknown } }[] | undefined
  childIds?: string[] | undefined
}

interface Text {
  value?: string | undefined
}

interface Line {
  text: string
  isPlain: boolean
}

/** Spoken names of roles; each screen reader has its own, these are common. */
const WORDS: Record<Locale, Record<string, string>> = {
  'en-CA': {
    heading: 'heading',
    link: 'link',
    button: 'button',
    radio: 'radio button',
    checkbox: 'check box',
    option: 'option',
    textbox: 'edit field',
    searchbox: 'search field',
    combobox: 'combo box',
    list: 'list of',
    banner: 'banner',
    main: 'main part',
    contentinfo: 'page footer',
    navigation: 'navigation',
    search: 'search',
    region: 'region',
    form: 'form',
    alert: 'alert',
    group: 'group',
    listbox: 'list box',
    Iframe: 'frame',
    current: 'current step',
    required: 'required',
    invalid: 'wrong entry',
    expanded: 'expanded',
    collapsed: 'collapsed',
    of: 'and so on',
    focused: 'the focus is here',
    live: 'said aloud when it changes',
    empty: 'empty so far',
  },
  'fr-CA': {
    heading: 'titre de niveau',
    link: 'lien',
    button: 'bouton',
    radio: 'bouton radio',
    checkbox: 'case à cocher',
    option: 'choix',
    textbox: 'champ',
    searchbox: 'champ de recherche',
    combobox: 'zone de liste modifiable',
    list: 'liste de',
    banner: 'bannière',
    main: 'partie principale',
    contentinfo: 'pied de page',
    navigation: 'navigation',
    search: 'recherche',
    region: 'région',
    form: 'formulaire',
    alert: 'alerte',
    group: 'groupe',
    listbox: 'zone de liste',
    Iframe: 'cadre',
    current: 'étape en cours',
    required: 'obligatoire',
    invalid: 'saisie erronée',
    expanded: 'développé',
    collapsed: 'réduit',
    of: 'et ainsi de suite',
    focused: 'le focus est ici',
    live: 'lu à voix haute à chaque changement',
    empty: 'vide pour l’instant',
  },
}

const ENDINGS = new Set(['heading', 'link', 'button', 'radio', 'checkbox', 'option'])
const FIELDS = new Set(['textbox', 'searchbox', 'combobox'])
const PLACES = new Set(['banner', 'main', 'contentinfo', 'navigation', 'search', 'region', 'form', 'alert', 'group', 'listbox', 'Iframe'])
/** Elements whose content is spoken without a pause. */
const BLOCKS = new Set(['paragraph', 'listitem', 'term', 'definition', 'status', 'legend'])
/** Number of items that are written for a list of choices. */
const MAX_ITEMS = 4

/**
 * Values that vary by day are replaced by `…`; the mark of the current step is not in the browser's accessibility
 * tree.
 */
const prepare = (current: string) => `
  for (const one of document.querySelectorAll('time, .reference code, [data-changing]')) one.textContent = '…'
  for (const one of document.querySelectorAll('[aria-current]')) one.append(' (${current})')`
/** Addresses, codes, and times of day. */
const CHANGING = /https?:\/\/\S+|[\w.-]{30,}|\b\d{1,2}(:| h )\d{2}( [ap]\.m\.)?( (UTC|E[SD]T|H[NA]E))?/g
const DATES =
  /\b(January|February|March|April|May|June|July|August|September|October|November|December) \d{1,2}, \d{4}|\b\d{1,2}(er)? (janvier|février|mars|avril|mai|juin|juillet|août|septembre|octobre|novembre|décembre) \d{4}/g

/**
 * Screen reader output of the page from top to bottom, the initial focus, and the live regions; taken from the
 * browser's accessibility tree. Waits for the focus, since each page moves it to its heading or to the errors.
 */
export async function readOutline(page: Page, locale: Locale): Promise<string[]> {
  await page.waitForFunction('document.activeElement !== document.body')
  await page.evaluate(prepare(WORDS[locale].current ?? ''))
  const session = await page.context().newCDPSession(page)
  const { nodes } = await session.send('Accessibility.getFullAXTree')
  await session.detach()
  const all = new Map(nodes.map((node): [string, Node] => [node.nodeId, node]))
  const root = nodes[0]
  return (root ? speak(all, root, WORDS[locale]) : []).map(({ text }) => text.replace(CHANGING, '…').replace(DATES, '…'))
}

function speak(all: ReadonlyMap<string, Node>, node: Node, words: Record<string, string>): Line[] {
  const lines = speakPlain(all, node, words)
  if (!isLive(node)) return lines
  return lines.length === 0 ? [toLine(`[${words.live}; ${words.empty}]`)] : [toLine(`[${words.live}]`), ...lines]
}

/** Alerts are announced in any case. */
function isLive(node: Node): boolean {
  const isRegion = ['polite', 'assertive'].includes(String(propertyOf(node, 'live'))) && propertyOf(node, 'root') === undefined
  return !node.ignored && isRegion && node.role?.value !== 'alert'
}

function speakPlain(all: ReadonlyMap<string, Node>, node: Node, words: Record<string, string>): Line[] {
  const role = node.ignored ? '' : (node.role?.value ?? '')
  const name = clean(node.name?.value)
  const word = words[role] ?? ''
  const children = (node.childIds ?? []).flatMap((id) => all.get(id) ?? [])
  const inside = () => children.flatMap((child) => speak(all, child, words))
  if (role === 'StaticText') return name === '' ? [] : [{ text: name, isPlain: true }]
  if (role === 'InlineTextBox' || role === 'LabelText') return []
  if (role === 'heading') return [toLine([`${word} ${propertyOf(node, 'level')}: ${name}`, ...states(node, words)].join('; '))]
  if (ENDINGS.has(role))
    return [toLine([`${word}: ${name}`, clean(node.description?.value), ...states(node, words)].filter(Boolean).join('; '))]
  if (FIELDS.has(role)) {
    const value = clean(String(node.value?.value ?? ''))
    return [
      toLine(
        [`${word}: ${name}`, clean(node.description?.value), value && `« ${value} »`, ...states(node, words)].filter(Boolean).join('; '),
      ),
    ]
  }
  if (role === 'list') return speakList(all, children, words)
  if (PLACES.has(role)) return [toLine(`[${[[word, name].filter(Boolean).join(': '), ...states(node, words)].join('; ')}]`), ...inside()]
  const lines = inside()
  const isOneBreath = BLOCKS.has(role) && lines.length > 0 && lines.every(({ isPlain }) => isPlain)
  return isOneBreath ? [toLine(lines.map(({ text }) => text).join(' '))] : lines
}

function speakList(all: ReadonlyMap<string, Node>, items: readonly Node[], words: Record<string, string>): Line[] {
  const shown = items.length > MAX_ITEMS ? items.slice(0, MAX_ITEMS - 1) : items
  const lines = shown.flatMap((item) => speak(all, item, words))
  return [toLine(`[${words.list} ${items.length}]`), ...lines, ...(shown.length < items.length ? [toLine(`(${words.of})`)] : [])]
}

function states(node: Node, words: Record<string, string>): string[] {
  const expanded = propertyOf(node, 'expanded')
  return [
    propertyOf(node, 'required') === true && words.required,
    [undefined, 'false', false].every((no) => propertyOf(node, 'invalid') !== no) && words.invalid,
    expanded === true && words.expanded,
    expanded === false && words.collapsed,
    propertyOf(node, 'focused') === true && words.focused,
  ].filter((state): state is string => typeof state === 'string')
}

function propertyOf(node: Node, name: string): unknown {
  return node.properties?.find((property) => property.name === name)?.value.value
}

const toLine = (text: string): Line => ({ text, isPlain: false })

function clean(text: string | undefined): string {
  return (text ?? '').replace(/\s+/g, ' ').trim()
}
