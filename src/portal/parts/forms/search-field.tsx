import { TextInput, type TextInputProps } from '@mantine/core'
import { useSearchParams } from 'wouter'

/** Search words of the page, kept in its address (`?search=`). */
export function useSearchWords(): string {
  const [params] = useSearchParams()
  return params.get('search') ?? ''
}

/** Field for the search words of the page; each letter counts. */
export function SearchField({ label, maw }: { label: string; maw?: TextInputProps['maw'] }) {
  const [, setParams] = useSearchParams()
  return (
    <TextInput
      type="search"
      aria-label={label}
      placeholder={label}
      value={useSearchWords()}
      onChange={(event) => setParams(event.currentTarget.value === '' ? {} : { search: event.currentTarget.value }, { replace: true })}
      maw={maw}
      mb="md"
    />
  )
}
