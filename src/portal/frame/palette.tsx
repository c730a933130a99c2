import { Modal } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { type KeyboardEvent, useEffect, useId, useState } from 'react'
import { withQuery } from '../api/client.ts'
import { Failure } from '../parts/answers/answer.tsx'
import { UserText } from '../parts/display/user-text.tsx'
import { useTexts } from '../texts/language/language.tsx'
import { frameTexts } from '../texts/pages/frame.ts'
import type { Action } from './actions.ts'
import type { Destination } from './destinations.ts'
import { fits, type Result, rank } from './ranking.ts'
import { useSearchResults } from './search-results.ts'

interface PaletteProps {
  destinations: readonly Destination[]
  actions: readonly Action[]
  isOpen: boolean
  onClose(): void
  onGo(path: string): void
}

/** Command palette: finds pages, actions and records by a part of their name or by their id. */
export function Palette({ isOpen, onClose, ...props }: PaletteProps) {
  const texts = useTexts(frameTexts)
  return (
    <Modal.Root opened={isOpen} onClose={onClose} lockScroll={false} size="lg" yOffset="8vh">
      <Modal.Overlay />
      <Modal.Content aria-label={texts.goTitle} className="palette">
        <Finder isOpen={isOpen} onClose={onClose} {...props} />
      </Modal.Content>
    </Modal.Root>
  )
}

/** Source: https://www.w3.org/WAI/ARIA/apg/patterns/combobox/ */
function Finder({ destinations, actions, isOpen, onClose, onGo }: PaletteProps) {
  const texts = useTexts(frameTexts)
  const id = useId()
  const [typed, setTyped] = useState('')
  const [at, setAt] = useState(0)
  const words = typed.trim()
  const [settled] = useDebouncedValue(words, 150)
  const found = useSearchResults(settled, isOpen, onGo)
  const pages = destinations.map(({ path, name }): Result => ({ id: path, name, kind: texts.page, run: () => onGo(path) }))
  const doable = actions.map(({ name, run }): Result => ({ id: name, name, kind: texts.action, run }))
  const known = [...pages, ...doable].filter(({ name }) => fits(name, words))
  const results = words === '' ? known : rank([...known, ...(settled === words ? found.results : [])], words)
  const more: Result = {
    id: 'more',
    name: found.more.isCounted ? texts.moreCompanies(found.more.count) : texts.moreCompaniesAtLeast(found.more.count),
    kind: texts.company,
    run: () => onGo(withQuery('/companies', { search: words })),
  }
  const shown = words !== '' && settled === words && found.more.count > 0 ? [...results, more] : results
  const active = shown[Math.min(at, shown.length - 1)]
  const choose = (result: Result | undefined) => {
    if (!result) return
    onClose()
    result.run()
  }
  return (
    <>
      <input
        className="palette-input"
        role="combobox"
        aria-expanded={shown.length > 0}
        aria-controls={`${id}-list`}
        aria-autocomplete="list"
        aria-activedescendant={active && `${id}-${active.id}`}
        aria-label={texts.goHint}
        placeholder={texts.goHint}
        value={typed}
        maxLength={150}
        autoComplete="off"
        spellCheck={false}
        data-autofocus
        onChange={(event) => {
          setTyped(event.currentTarget.value)
          setAt(0)
        }}
        onKeyDown={(event) =>
          onKey(event, { count: shown.length, at: Math.min(at, shown.length - 1), setAt, choose: () => choose(active) })
        }
      />
      <Failure reads={found.reads} />
      <List id={id} results={shown} active={active} onChoose={choose} />
      <p role="status" className="palette-count">
        {shown.length === 0 ? texts.nothing : texts.found(shown.length)}
      </p>
    </>
  )
}

interface Keys {
  count: number
  at: number
  setAt(at: number): void
  choose(): void
}

function onKey(event: KeyboardEvent, { count, at, setAt, choose }: Keys): void {
  // An input method is composing: its keys are not ours.
  if (event.nativeEvent.isComposing || count === 0) return
  const moves: Record<string, () => void> = {
    ArrowDown: () => setAt((at + 1) % count),
    ArrowUp: () => setAt((at - 1 + count) % count),
    Enter: choose,
  }
  const move = moves[event.key]
  if (!move) return
  event.preventDefault()
  move()
}

interface ListProps {
  id: string
  results: readonly Result[]
  active: Result | undefined
  onChoose(result: Result): void
}

function List({ id, results, active, onChoose }: ListProps) {
  const texts = useTexts(frameTexts)
  const activeId = active?.id
  useEffect(() => {
    if (activeId !== undefined) document.getElementById(`${id}-${activeId}`)?.scrollIntoView({ block: 'nearest' })
  }, [id, activeId])
  return (
    <div role="listbox" id={`${id}-list`} aria-label={texts.results} className="palette-list" tabIndex={-1}>
      {results.map((result) => (
        // The input keeps the focus and handles the keys.
        // biome-ignore lint/a11y/useKeyWithClickEvents: the field above listens for them.
        // biome-ignore lint/a11y/useFocusableInteractive: the field above points at it.
        <div
          key={result.id}
          role="option"
          id={`${id}-${result.id}`}
          aria-selected={result.id === activeId}
          className="palette-option"
          onMouseDown={(event) => event.preventDefault()}
          onClick={() => onChoose(result)}
        >
          <UserText most={100}>{result.name}</UserText> <span className="palette-kind">{result.kind}</span>
        </div>
      ))}
    </div>
  )
}
