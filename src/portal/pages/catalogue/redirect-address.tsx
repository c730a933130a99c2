import { Text } from '@mantine/core'
import type { Source } from '../../api/generated/types.ts'
import { useChange } from '../../api/reads.ts'
import { Confirm } from '../../parts/dialogs/confirm.tsx'
import { Copyable } from '../../parts/display/copy.tsx'
import { useTexts } from '../../texts/language/language.tsx'
import { sourceTexts } from '../../texts/pages/sources.ts'

/** Redirect address of the own app, and the change from the address that all sources share to the source's own. */
export function RedirectAddress({ source }: { source: Source }) {
  const texts = useTexts(sourceTexts)
  const save = useChange<'own'>((callback) => ({ method: 'PUT', path: `/sources/${source.key}/keys`, body: { keys: {}, callback } }))
  return (
    <>
      <Text size="sm">{texts.callback}</Text>
      <Copyable text={source.callbackUrl} />
      {source.callback === 'shared' && (
        <>
          <Text size="sm" mt="sm" maw={720}>
            {texts.ownCallback}
          </Text>
          <Copyable text={`${source.callbackUrl}/${source.key}`} />
          <Confirm label={texts.useOwn} title={texts.useOwn} question={texts.useOwnQuestion} {...save.toConfirm('own')} />
        </>
      )}
    </>
  )
}
