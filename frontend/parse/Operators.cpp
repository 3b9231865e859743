#include "frontend/parse/Operators.h"
#include "frontend/parse/TileParser.h"

#include <algorithm>

using namespace tile;
using namespace tile::syntax;
using ast::BinaryOp;

// From high to low; `as` and the unary operators bind tighter than all, `..` and `:+` looser.
static constexpr BinaryOperator kOperators[] = {
    {TileParser::STAR, BinaryOp::Mul, 9, false},         {TileParser::SLASH, BinaryOp::Div, 9, false},
    {TileParser::PERCENT, BinaryOp::Rem, 9, false},      {TileParser::AT, BinaryOp::MatMul, 9, false},
    {TileParser::PLUS, BinaryOp::Add, 8, false},         {TileParser::MINUS, BinaryOp::Sub, 8, false},
    {TileParser::SHL, BinaryOp::Shl, 7, false},          {TileParser::SHR, BinaryOp::Shr, 7, false},
    {TileParser::AMPERSAND, BinaryOp::BitAnd, 6, false}, {TileParser::CARET, BinaryOp::BitXor, 5, false},
    {TileParser::PIPE, BinaryOp::BitOr, 4, false},       {TileParser::LT, BinaryOp::Less, 3, true},
    {TileParser::LE, BinaryOp::LessEqual, 3, true},      {TileParser::GT, BinaryOp::Greater, 3, true},
    {TileParser::GE, BinaryOp::GreaterEqual, 3, true},   {TileParser::EQ, BinaryOp::Equal, 3, true},
    {TileParser::NE, BinaryOp::NotEqual, 3, true},       {TileParser::AND, BinaryOp::LogicalAnd, 2, false},
    {TileParser::OR, BinaryOp::LogicalOr, 1, false},
};

const BinaryOperator &syntax::binaryOperator(uint32_t token) {
  return *std::find_if(std::begin(kOperators), std::end(kOperators),
                       [&](const BinaryOperator &each) { return each.token == token; });
}

std::optional<BinaryOp> syntax::assignmentOperator(uint32_t token) {
  switch (token) {
  case TileParser::ADD_ASSIGN:
    return BinaryOp::Add;
  case TileParser::SUB_ASSIGN:
    return BinaryOp::Sub;
  case TileParser::MUL_ASSIGN:
    return BinaryOp::Mul;
  case TileParser::DIV_ASSIGN:
    return BinaryOp::Div;
  case TileParser::REM_ASSIGN:
    return BinaryOp::Rem;
  case TileParser::MATMUL_ASSIGN:
    return BinaryOp::MatMul;
  case TileParser::SHL_ASSIGN:
    return BinaryOp::Shl;
  case TileParser::SHR_ASSIGN:
    return BinaryOp::Shr;
  case TileParser::AND_ASSIGN:
    return BinaryOp::BitAnd;
  case TileParser::XOR_ASSIGN:
    return BinaryOp::BitXor;
  case TileParser::OR_ASSIGN:
    return BinaryOp::BitOr;
  default:
    return std::nullopt;
  }
}
