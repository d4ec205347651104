// The four checks on a callback, one line each.
import type { CheckName, Verdict } from '../domain/callbacks/verify.ts';
import { cleanLine } from './clean.ts';
import type { DocumentView } from './view.ts';
import { wrapUnder } from './width.ts';
import { largest } from '../kernel/words.ts';

const TITLES: Record<CheckName, string> = {
  domain: 'domain',
  certificate_fetched: 'certificate fetched',
  certificate: 'certificate',
  signature: 'signature',
};
const WIDTH = largest(Object.values(TITLES).map((title) => title.length));

export const verdictView: DocumentView<Verdict> = {
  kind: 'document',
  text: ({ checks, valid }, style, width) => {
    const failed = checks.findIndex(({ ok }) => !ok);
    const lines = checks.map(({ detail, name, ok }, index) => {
      const word = ok ? style.green('ok    ') : index === failed ? style.red('failed') : style.dim('-     ');
      return wrapUnder(`${word}  ${TITLES[name].padEnd(WIDTH)}  `, cleanLine(detail), width);
    });
    return [...lines, valid ? style.green('The callback is valid.') : style.red('Do not trust this callback.')].join(
      '\n',
    );
  },
};
