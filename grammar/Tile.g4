// The syntax of Tile. README.md says what the token filter between lexer and parser does: it turns line ends into END,
// decides which `<` opens a generic list, and recognises the words that are keywords only in their place. Thanks to it
// every decision below is taken on one token.
//
// Operators are a flat list here; frontend/parse/Operators.cpp holds their precedence.
grammar Tile;

// Made by the token filter only.
tokens {
  END,            // `;`, or a line's end where it ends a statement
  GENERIC_OPEN,   // `<` of a generic list
  GENERIC_CLOSE,  // its `>`
  SHAPE_OPEN,     // `[` after GENERIC_CLOSE
  ARRAY_OPEN,     // `[` of an array type
  RECORD_OPEN,    // `{` of a record
  TRAILING_COMMA, // `,` before a closing bracket
  DECORATOR,      // `@` where a statement or an item begins
  ELSE_BLOCK,     // `else` after a block
  ELSE_IF,        // `else if` after a block
  LAMBDA,         // `fn` before `(`
  SHR,            // `>>`
  GRID, WHERE, SPECIALIZE, ALIAS, RESIDENT, // in a kernel's head
  OUT, INOUT, VOLATILE, SCRATCH,            // before a parameter
  STEP, UNCHECKED, STRIDED, SHARED, ROLES
}

//===- Items ------------------------------------------------------------------------------------------------------===//

module : item* EOF ;

item : decorator* (importItem | constItem | structItem | fnItem | kernelItem | specItem | staticAssert) END ;

importItem : IMPORT (NAME | STRING) (AS NAME)? ;

constItem : CONST NAME (':' type)? '=' expression ;

structItem : STRUCT NAME generics? '{' field* '}' ;
field : NAME ':' type ('=' expression)? (',' | TRAILING_COMMA | END) ;

fnItem : FN NAME generics? parameters ('->' type)? block ;

kernelItem : KERNEL NAME generics? parameters kernelClause* block ;
kernelClause
  : GRID '[' expressions ']' RESIDENT?
  | WHERE expressions
  | SPECIALIZE expressions
  | ALIAS '(' names ')'
  ;
names : NAME (',' NAME)* TRAILING_COMMA? ;

specItem : SPEC NAME block ;

staticAssert : STATIC_ASSERT '(' expressions ')' ;

generics : GENERIC_OPEN genericParameter (',' genericParameter)* TRAILING_COMMA? GENERIC_CLOSE ;
genericParameter : NAME (':' type)? ('=' expression)? ;

parameters : '(' (parameter (',' parameter)* TRAILING_COMMA?)? ')' ;
parameter : (OUT | INOUT | VOLATILE | SCRATCH)* NAME (':' type '?'?)? ('=' expression)? ;

decorator : DECORATOR NAME ('(' arguments? ')')? ;

//===- Types ------------------------------------------------------------------------------------------------------===//

type
  : STRIDED type
  | ARRAY_OPEN expression ']' type
  | LAMBDA '(' types? ')' ('->' type)?
  | '(' types? ')'
  | '_'
  | namedType
  ;
types : type (',' type)* TRAILING_COMMA? ;
namedType : qualifiedName (genericArguments shape?)? ;
qualifiedName : NAME ('.' NAME)* ;
genericArguments : GENERIC_OPEN arguments GENERIC_CLOSE ;
shape : SHAPE_OPEN expressions? ']' ;

//===- Statements -------------------------------------------------------------------------------------------------===//

block : '{' statement* '}' ;

statement
  : ( letStatement
    | sharedStatement
    | loop
    | returnStatement
    | BREAK
    | CONTINUE
    | staticAssert
    | staticPrint
    | fnItem
    | rolesStatement
    | assignment
    ) END
  ;

letStatement : (LET | VAR) pattern (':' type)? '=' expression ;
pattern : NAME | '_' | '(' pattern (',' pattern)* TRAILING_COMMA? ')' ;

sharedStatement : SHARED NAME ':' type ;

loop
  : decorator* ( (FOR | STATIC_FOR) pattern IN expression block
               | WHILE expression block
               )
  ;

returnStatement : RETURN expression? ;

staticPrint : STATIC_PRINT '(' expressions? ')' ;

rolesStatement : ROLES '{' role* '}' ;
role : NAME ('(' arguments? ')')? block END ;

// Also an expression that stands alone.
assignment : expression (assignmentOperator expression)? ;
assignmentOperator : '=' | '+=' | '-=' | '*=' | '/=' | '%=' | '@=' | '<<=' | '>>=' | '&=' | '^=' | '|=' ;

//===- Expressions ------------------------------------------------------------------------------------------------===//

expressions : expression (',' expression)* TRAILING_COMMA? ;

// Types other than a name stand where an argument of a generic list or a default does.
expression
  : operation ('..' operation (STEP operation)?)?
  | functionLiteral
  | STRIDED type
  | ARRAY_OPEN expression ']' type
  ;

operation : operand (binaryOperator operand)* ;
binaryOperator
  : '*' | '/' | '%' | '@' | '+' | '-' | '<<' | SHR | '&' | '^' | '|'
  | '<' | '<=' | '>' | '>=' | '==' | '!=' | '&&' | '||'
  ;

operand : prefixOperator* postfix cast* ;
prefixOperator : '-' | '~' | '!' ;
cast : AS qualifiedName withClause? ;

postfix : UNCHECKED? primary suffix* withClause? (ELSE fallback)? ;
suffix
  : '(' arguments? ')'
  | '[' positions? ']'
  | '.' NAME
  | genericArguments shape?
  ;
withClause : WITH '(' arguments ')' ;
fallback : prefixOperator* postfix ;

positions : position (',' position)* TRAILING_COMMA? ;
position
  : ':'
  | '..'
  | NEW_AXIS
  | operation ((':+' | '..') operation)?
  ;

arguments : argument (',' argument)* TRAILING_COMMA? ;
argument : expression ('=' expression)? ;

primary
  : NAME
  | INT
  | FLOAT
  | STRING
  | TRUE
  | FALSE
  | NONE
  | '_'
  | parenthesized
  | list
  | record
  | ifExpression
  ;

parenthesized : '(' expressions? ')' ;

list : '[' expressions? ']' ;

record : RECORD_OPEN (recordField (',' recordField)* TRAILING_COMMA?)? '}' ;
recordField : NAME ':' expression ;

ifExpression : (IF | STATIC_IF) expression block (ELSE_IF expression block)* (ELSE_BLOCK block)? ;

// A function, or the type of one.
functionLiteral
  : LAMBDA '(' (lambdaParameter (',' lambdaParameter)* TRAILING_COMMA?)? ')'
    ('=>' (expression | block) | '->' type)?
  ;
lambdaParameter : type (':' type)? ;

//===- Words ------------------------------------------------------------------------------------------------------===//

AS : 'as' ;
BREAK : 'break' ;
CONST : 'const' ;
CONTINUE : 'continue' ;
ELSE : 'else' ;
FALSE : 'false' ;
FN : 'fn' ;
FOR : 'for' ;
IF : 'if' ;
IMPORT : 'import' ;
IN : 'in' ;
KERNEL : 'kernel' ;
LET : 'let' ;
NEW_AXIS : 'None' ;
NONE : 'none' ;
RETURN : 'return' ;
SPEC : 'spec' ;
STATIC_ASSERT : 'static_assert' ;
STATIC_FOR : 'static' [ \t]+ 'for' ;
STATIC_IF : 'static' [ \t]+ 'if' ;
STATIC_PRINT : 'static_print' ;
STRUCT : 'struct' ;
TRUE : 'true' ;
VAR : 'var' ;
WHILE : 'while' ;
WITH : 'with' ;

WILDCARD : '_' ;
NAME : [A-Za-z_] [A-Za-z_0-9]* ;

//===- Signs ------------------------------------------------------------------------------------------------------===//

LPAREN : '(' ;    RPAREN : ')' ;
LBRACKET : '[' ;  RBRACKET : ']' ;
LBRACE : '{' ;    RBRACE : '}' ;

COMMA : ',' ;     SEMICOLON : ';' ;   COLON : ':' ;       DOT : '.' ;
RANGE : '..' ;    REGION : ':+' ;     ARROW : '->' ;      FAT_ARROW : '=>' ;   QUESTION : '?' ;

// The filter relies on the order: operators from STAR to BANG, assignments from ASSIGN to OR_ASSIGN.
STAR : '*' ;      SLASH : '/' ;       PERCENT : '%' ;     AT : '@' ;
PLUS : '+' ;      MINUS : '-' ;       SHL : '<<' ;        AMPERSAND : '&' ;    CARET : '^' ;     PIPE : '|' ;
LT : '<' ;        LE : '<=' ;         GT : '>' ;          GE : '>=' ;          EQ : '==' ;       NE : '!=' ;
AND : '&&' ;      OR : '||' ;         TILDE : '~' ;       BANG : '!' ;

ASSIGN : '=' ;    ADD_ASSIGN : '+=' ; SUB_ASSIGN : '-=' ; MUL_ASSIGN : '*=' ;  DIV_ASSIGN : '/=' ;
REM_ASSIGN : '%=' ; MATMUL_ASSIGN : '@=' ; SHL_ASSIGN : '<<=' ; SHR_ASSIGN : '>>=' ;
AND_ASSIGN : '&=' ; XOR_ASSIGN : '^=' ; OR_ASSIGN : '|=' ;

//===- Literals ---------------------------------------------------------------------------------------------------===//

INT : DECIMAL | '0x' [0-9a-fA-F] [0-9a-fA-F_]* | '0b' [01] [01_]* | '0o' [0-7] [0-7_]* ;
FLOAT : DECIMAL '.' DECIMAL EXPONENT? | DECIMAL EXPONENT ;
fragment DECIMAL : [0-9] [0-9_]* ;
fragment EXPONENT : [eE] [+-]? [0-9]+ ;

STRING : '"' STRING_UNIT* '"' ;
fragment STRING_UNIT : ~["\\\r\n] | '\\' ~[\r\n] ;

//===- What the filter reports ------------------------------------------------------------------------------------===//

BAD_NUMBER : (INT | FLOAT) [A-Za-z_0-9]+ | '0' [xbo] [A-Za-z_0-9]* ;
OPEN_STRING : '"' STRING_UNIT* '\\'? ;
BLOCK_COMMENT : '/*' .*? '*/' ;
OPEN_COMMENT : '/*' ;

//===- What lies between ------------------------------------------------------------------------------------------===//

DOC : '///' (~[/\r\n] ~[\r\n]*)? ;
COMMENT : ('//' ~[/\r\n] ~[\r\n]* | '//' | '////' ~[\r\n]*) -> skip ;
SPACE : [ \t\r\n]+ -> skip ;
BAD : . ;
