// Uses the compiler to find every regular expression in the source: literals, and those built from strings.
import { readdirSync, readFileSync } from 'node:fs';
import ts from 'typescript';

export interface SourceExpression {
  /** `src/lib/kernel/json.ts:13` */
  place: string;
  expression: RegExp;
}

/** Placeholder for a part of a built expression that is known only at run time. */
const UNKNOWN_PART = 'x';

/** Returns the regular expressions in the program's source files. */
export function sourceExpressions(root: string): SourceExpression[] {
  const files = ['src', 'bin'].flatMap((folder) =>
    readdirSync(`${root}/${folder}`, { recursive: true, encoding: 'utf8' })
      .filter((name) => /\.[jt]s$/.test(name))
      .map((name) => `${folder}/${name}`),
  );
  return files.flatMap((file) => expressionsOf(file, readFileSync(`${root}/${file}`, 'utf8')));
}

/** Returns the expressions in one file. Throws if an expression cannot be built, so that no expression is skipped. */
export function expressionsOf(file: string, text: string): SourceExpression[] {
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true);
  const constants = new Map<string, ts.Expression>();
  const found: SourceExpression[] = [];

  const collect = (node: ts.Node): void => {
    if (ts.isVariableDeclaration(node) && ts.isIdentifier(node.name) && node.initializer) {
      constants.set(node.name.text, node.initializer);
    }
    ts.forEachChild(node, collect);
  };
  const visit = (node: ts.Node): void => {
    const expression = literalOf(node) ?? builtOf(node);
    if (expression) {
      const { line } = source.getLineAndCharacterOfPosition(node.getStart());
      found.push({ place: `${file}:${line + 1}`, expression });
    }
    ts.forEachChild(node, visit);
  };

  function literalOf(node: ts.Node): RegExp | undefined {
    if (!ts.isRegularExpressionLiteral(node)) return undefined;
    const end = node.text.lastIndexOf('/');
    return new RegExp(node.text.slice(1, end), node.text.slice(end + 1));
  }

  function builtOf(node: ts.Node): RegExp | undefined {
    if (!ts.isNewExpression(node) && !ts.isCallExpression(node)) return undefined;
    if (!ts.isIdentifier(node.expression) || node.expression.text !== 'RegExp') return undefined;
    const [pattern, flags] = node.arguments ?? [];
    return new RegExp(pattern ? textOf(pattern) : '', flags ? textOf(flags) : '');
  }

  /** Returns the part of an expression's text that this file determines. */
  function textOf(node: ts.Expression): string {
    if (ts.isStringLiteralLike(node)) return node.text;
    if (ts.isRegularExpressionLiteral(node)) return literalOf(node)?.source ?? '';
    if (ts.isTaggedTemplateExpression(node)) return templateText(node.template, (part) => part.rawText ?? part.text);
    if (ts.isTemplateExpression(node)) return templateText(node, (part) => part.text);
    if (ts.isBinaryExpression(node)) return textOf(node.left) + textOf(node.right);
    if (ts.isPropertyAccessExpression(node) && node.name.text === 'source') return textOf(node.expression);
    if (ts.isNewExpression(node)) return builtOf(node)?.source ?? UNKNOWN_PART;
    const known = ts.isIdentifier(node) ? constants.get(node.text) : undefined;
    return known ? textOf(known) : UNKNOWN_PART;
  }

  function templateText(node: ts.TemplateLiteral, partText: (part: ts.TemplateLiteralLikeNode) => string): string {
    if (ts.isNoSubstitutionTemplateLiteral(node)) return partText(node);
    return node.templateSpans.reduce(
      (text, span) => text + (isCount(text, span) ? '1' : textOf(span.expression)) + partText(span.literal),
      partText(node.head),
    );
  }

  collect(source);
  visit(source);
  return found;
}

/** True if the part is inside the braces of a quantifier, so it is a number. */
function isCount(before: string, span: ts.TemplateSpan): boolean {
  return before.endsWith('{') && /^,?\d*\}/.test(span.literal.text);
}
